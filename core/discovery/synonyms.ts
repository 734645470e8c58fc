/** Words with one meaning in this field: chains and their tickers, names of languages, and trades. */

/** Each line is one thing; words of several words are phrases. */
const SAME = `
ethereum, eth
solana, sol
bitcoin, btc
arbitrum, arb
polygon, matic
optimism, op mainnet
avalanche, avax
bnb, bsc
french, francais, 法语, frances, franzosisch, フランス語
spanish, espanol, castellano, 西班牙语, spanisch, スペイン語
german, deutsch, allemand, aleman, alemao, 德语, ドイツ語
chinese, mandarin, 中文, chinois, chinesisch, chino, 中国語
japanese, 日本語, japonais, japones, japanisch, 日语
portuguese, portugues, portugiesisch, portugais, 葡萄牙语
korean, 한국어, coreen, coreano, koreanisch, 韩语
arabic, العربية, arabe, arabisch, 阿拉伯语
italian, italiano, italien, italienisch, 意大利语
russian, русский, russe, ruso, russisch, 俄语
hindi, हिन्दी
turkish, turkce, turc, turco, turkisch, 土耳其语
translate, translation, translator, traduction, traduccion, traducao, ubersetzung, 翻译, 翻訳
interpreter, translation, translator
transcribe, transcription, transcript, speech to text
dictation, transcription, speech to text
summarize, summary, summarise, resumo, resumen, zusammenfassung
contract, contrat, contrato, vertrag, 合同, 契約
agreement, contract
lawyer, legal, law
legal, law, juridique, rechtlich, 法律
audit, auditor, auditoria
bug, vulnerability
image, picture, imagen, imagem, bild, 图像, 画像
draw, image, picture, illustration
photograph, photo
song, music
music, musique, musica, musik
weather, forecast, meteo, wetter, 天气, 天気
rain, weather
airfare, flights
travel, trip, itinerary, voyage, viagem, viaje, reise, 旅行
vacation, travel, trip, holiday
recipe, meal
cook, recipe, meal
workout, fitness, training
gym, fitness, workout
hiring, recruiting, recruitment
job, recruiting, hiring, candidate
help desk, helpdesk, customer support, customer service
kundensupport, customer support, kundenservice
customer support, customer service, help desk
schedule, calendar
price, quote, precio, prix, preis
trading, trade, trader
yield, interest, apy
earn, yield
swap, exchange
scam, rug, honeypot, fraud
safe, safety, risk
scrape, scraping, scraper, crawl, crawler
ocr, extraction
chatbot, bot, assistant
gpu, graphics card
rent, rental
code, codebase
merge, pull request
fact check, verify claims, fact checking
news, headlines
logo, branding
lead, prospect
tutor, tutoring, teacher
lessons, tutor, course
medical, health
tax, taxes
sharpen, upscale, enhance, deblur
blurry, upscale
storage, ipfs
deploy, deployment
sentiment, mood
`;

const lines = SAME.trim()
  .split("\n")
  .map((line) => [...new Set(line.split(", "))]);

const byWord = new Map<string, string[]>();
for (const words of lines)
  for (const word of words) byWord.set(word, [...(byWord.get(word) ?? []), ...words.filter((other) => other !== word)]);

/** What else a word or a phrase is called, in folded form; none for most. */
export const synonymsOf = (word: string): readonly string[] => byWord.get(word) ?? [];
