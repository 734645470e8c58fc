/** Words that stand for each other in this field: chains with their tickers, languages in their own words, and trades. */

/** Each line is one thing; words of several words are phrases. */
const SAME = `
ethereum, eth
solana, sol
bitcoin, btc
arbitrum, arb
polygon, matic
optimism, op
avalanche, avax
bnb, bsc, binance
usdc, stablecoin
french, francais, 法语, frances, franzosisch, フランス語
spanish, espanol, castellano, 西班牙语, spanisch, スペイン語
german, deutsch, allemand, aleman, alemao, 德语, ドイツ語
chinese, mandarin, 中文, chinois, chinesisch, chino, 中国語
japanese, 日本語, japonais, japonais, japones, japanisch, 日语
portuguese, portugues, portugiesisch, portugais, 葡萄牙语
korean, 한국어, coreen, coreano, koreanisch, 韩语
arabic, العربية, arabe, arabisch, 阿拉伯语
italian, italiano, italien, italienisch, 意大利语
russian, русский, russe, ruso, russisch, 俄语
hindi, हिन्दी
turkish, turkce, turc, turco, turkisch, 土耳其语
translate, translation, translator, interpreter, traduction, traduccion, traducao, ubersetzung, 翻译, 翻訳
transcribe, transcription, transcript, dictation, speech to text
summarize, summary, summarise, resume, resumo, resumen, zusammenfassung, digest, tldr
contract, agreement, contrat, contrato, vertrag, 合同, 契約
legal, lawyer, attorney, law, 法律
audit, auditor, auditoria, review
bug, vulnerability, flaw, mistake
image, picture, illustration, drawing, imagen, imagem, bild, 图像, 画像
photo, photograph, picture
music, song, track, musique, musica
weather, forecast, rain, meteo, wetter, clima, 天气, 天気
flight, airfare, plane ticket
travel, trip, vacation, holiday, itinerary, voyage, viagem, viaje, reise, 旅行
recipe, meal, cooking, cook, dinner, 食谱
workout, fitness, gym, training
hiring, recruiting, recruitment, candidate, job
support, help desk, helpdesk, customer service, kundensupport, soporte, suporte
schedule, calendar, meeting, appointment, booking
price, value, quote, rate
feed, oracle
trading, trade, trader
yield, interest, apy, farming, staking
swap, exchange, dex
bridge, cross chain
scam, rug, honeypot, fraud, phishing
risk, safety, safe
scrape, scraping, scraper, crawl, crawler
extract, extraction, ocr, parse
chatbot, bot, assistant
gpu, graphics card, compute
code, program, programming, software
test, testing, qa
fact check, verify claims, fact checking
news, headlines
logo, branding, brand
email, mail, inbox
lead, prospect, leads
tutor, tutoring, teacher, lessons, learn
doctor, medical, health, symptoms
tax, taxes
storage, ipfs, pin
deploy, deployment, devops
sentiment, mood
portfolio, holdings, wallet
whale, large transfers
nft, collectible
memecoin, token launch, launch
`;

const lines = SAME.trim()
  .split("\n")
  .map((line) => [...new Set(line.split(", "))]);

const byWord = new Map<string, string[]>();
for (const words of lines)
  for (const word of words) byWord.set(word, [...(byWord.get(word) ?? []), ...words.filter((other) => other !== word)]);

/** What else a word or a phrase is called, in folded form; none for most. */
export const synonymsOf = (word: string): readonly string[] => byWord.get(word) ?? [];
