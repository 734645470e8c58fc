/**
 * What the agents of the synthetic directory can do: tasks, each with the words that texts use for it. Judgements follow
 * from an agent's tasks; the words are only how it speaks of them, and every agent uses a few of them.
 */

/** What a task is done for: chains or languages. `{x}` in a phrase is replaced by those of the agent. */
export type Scope = "chain" | "language";

export type Task = {
  /** Tasks of one field are near each other: grade 1. */
  field: string;
  scope?: Scope;
  /** Verb phrases in the base form. */
  does: readonly string[];
  nouns: readonly string[];
  /** A noun phrase in each language of `ABROAD`. */
  abroad: readonly string[];
  /** How often agents do it, as a multiple of the rarest. */
  weight: number;
};

export const ABROAD = ["fr", "es", "de", "pt", "zh", "ja"] as const;

/** Names of a chain as texts write them; the first one is the usual. */
export const CHAINS = {
  ethereum: ["Ethereum", "ETH mainnet", "Ethereum L1"],
  base: ["Base", "Base mainnet", "Coinbase's L2"],
  solana: ["Solana", "SOL", "Solana SPL tokens"],
  arbitrum: ["Arbitrum", "Arbitrum One", "ARB"],
  polygon: ["Polygon", "Polygon PoS", "MATIC"],
  bitcoin: ["Bitcoin", "BTC"],
  optimism: ["Optimism", "OP Mainnet"],
  bnb: ["BNB Chain", "BSC"],
  avalanche: ["Avalanche", "AVAX"],
  sui: ["Sui", "Sui Move"],
} as const;

/** Names of a language as texts write them. */
export const LANGUAGES = {
  french: ["French", "français", "FR"],
  spanish: ["Spanish", "español", "ES"],
  german: ["German", "Deutsch", "DE"],
  chinese: ["Chinese", "Mandarin", "中文"],
  japanese: ["Japanese", "日本語", "JA"],
  portuguese: ["Portuguese", "português", "PT-BR"],
  korean: ["Korean", "한국어"],
  arabic: ["Arabic", "العربية"],
  italian: ["Italian", "italiano"],
  russian: ["Russian", "русский"],
  hindi: ["Hindi", "हिन्दी"],
  turkish: ["Turkish", "Türkçe"],
} as const;

type Phrases = Record<"does" | "nouns" | "abroad", string>;
/**
 * A task as the list writes it, its phrases between bars.
 * @param weight how often agents do it, as a multiple of the rarest
 * @throws when it has not one phrase for each language abroad
 */
function task(field: string, weight: number, { does, nouns, abroad }: Phrases, scope?: Scope): Task {
  const listed = (text: string) => text.split(" | ");
  if (listed(abroad).length !== ABROAD.length) throw new Error(`not one phrase for each language: ${abroad}`);
  return { field, weight, ...(scope && { scope }), does: listed(does), nouns: listed(nouns), abroad: listed(abroad) };
}
const perChain = (field: string, weight: number, phrases: Phrases) => task(field, weight, phrases, "chain");
const perLanguage = (field: string, weight: number, phrases: Phrases) => task(field, weight, phrases, "language");

const TASKS = {
  translation: perLanguage("language", 6, {
    does: "translate documents into {x} | translate contracts, letters and manuals to {x} | turn English text into fluent {x} | provide certified translations from English to {x} | translate legal agreements into {x}",
    nouns: "{x} translation | document translation for {x} | machine translation into {x} | contract translation, {x}",
    abroad:
      "traduction de contrats et de documents | traducción de contratos y documentos | Übersetzung von Verträgen und Dokumenten | tradução de contratos e documentos | 合同和文件翻译 | 契約書と文書の翻訳",
  }),
  localization: perLanguage("language", 1, {
    does: "localize apps and websites for {x} markets | adapt user interfaces and strings to {x} | keep i18n files in {x} up to date",
    nouns: "software localization for {x} | i18n strings in {x} | website localization",
    abroad:
      "localisation de logiciels | localización de software | Lokalisierung von Software | localização de software | 软件本地化 | ソフトウェアのローカライズ",
  }),
  transcription: task("language", 2, {
    does: "transcribe audio recordings | turn speech into text with timestamps | write down meetings and podcasts word for word",
    nouns: "audio transcription | speech to text | meeting transcripts",
    abroad:
      "transcription audio | transcripción de audio | Transkription von Audio | transcrição de áudio | 语音转文字 | 音声の文字起こし",
  }),
  speech: task("language", 1, {
    does: "read text aloud in natural voices | synthesize speech from text | clone voices for narration",
    nouns: "text to speech | voice synthesis | narration of audiobooks",
    abroad: "synthèse vocale | síntesis de voz | Sprachsynthese | síntese de voz | 语音合成 | 音声合成",
  }),
  summarization: task("writing", 3, {
    does: "summarize long documents | condense articles into key points | digest reports into a short abstract",
    nouns: "document summarization | article summaries | TL;DR of long texts",
    abroad:
      "résumé de documents | resumen de documentos | Zusammenfassung von Dokumenten | resumo de documentos | 文档摘要 | 文書の要約",
  }),
  copywriting: task("writing", 3, {
    does: "write marketing copy and blog posts | draft product descriptions that sell | produce landing page texts",
    nouns: "copywriting | blog articles | ad copy and slogans",
    abroad:
      "rédaction publicitaire | redacción publicitaria | Werbetexte und Blogartikel | redação publicitária | 营销文案写作 | 広告文の作成",
  }),
  proofreading: task("writing", 1, {
    does: "proofread essays and papers | correct grammar and style | polish English manuscripts",
    nouns: "proofreading | grammar correction | manuscript editing",
    abroad:
      "relecture et correction de textes | corrección de textos | Korrekturlesen | revisão de textos | 文章校对 | 文章の校正",
  }),
  "legal-review": task("law", 2, {
    does: "review contracts for risky clauses | check agreements against your playbook | flag unfair terms in leases and NDAs",
    nouns: "contract review | legal clause analysis | NDA review",
    abroad:
      "analyse juridique de contrats | revisión jurídica de contratos | rechtliche Prüfung von Verträgen | análise jurídica de contratos | 合同法律审查 | 契約書の法的レビュー",
  }),
  "legal-drafting": task("law", 1, {
    does: "draft agreements and terms of service | prepare wills, leases and incorporation papers | write privacy policies",
    nouns: "legal drafting | contract templates | terms of service generator",
    abroad:
      "rédaction de contrats | redacción de contratos | Erstellung von Verträgen | elaboração de contratos | 合同起草 | 契約書の作成",
  }),
  compliance: task("law", 1, {
    does: "screen customers for KYC and AML | check counterparties against sanctions lists | monitor regulatory compliance",
    nouns: "KYC screening | AML compliance | sanctions checks",
    abroad:
      "conformité KYC et AML | cumplimiento KYC y AML | KYC- und AML-Prüfung | conformidade KYC e AML | 反洗钱与KYC合规 | KYCとAMLの確認",
  }),
  audit: perChain("security", 5, {
    does: "audit smart contracts on {x} | audit Solidity code for reentrancy and access control bugs | find vulnerabilities in {x} contracts before deployment | run static analysis and fuzzing over Solidity projects | review DeFi protocols for exploits on {x}",
    nouns:
      "smart contract audit | Solidity security review for {x} | Solidity audit reports | vulnerability scanning of {x} contracts",
    abroad:
      "audit de contrats intelligents Solidity | auditoría de contratos inteligentes Solidity | Sicherheitsprüfung von Solidity-Verträgen | auditoria de contratos inteligentes Solidity | Solidity智能合约审计 | Solidityスマートコントラクトの監査",
  }),
  "wallet-risk": perChain("security", 2, {
    does: "score the risk of any wallet address on {x} | detect rug pulls and honeypots on {x} | check a token for scams before you buy",
    nouns: "wallet risk score for {x} | rug pull detection | token safety check on {x}",
    abroad:
      "analyse de risque de portefeuilles | análisis de riesgo de carteras | Risikoanalyse von Wallets | análise de risco de carteiras | 钱包风险评分 | ウォレットのリスク評価",
  }),
  phishing: task("security", 1, {
    does: "detect phishing links and fake sites | classify suspicious emails and URLs | block malicious domains",
    nouns: "phishing detection | malicious URL classifier | email threat scanning",
    abroad:
      "détection d'hameçonnage | detección de phishing | Erkennung von Phishing | detecção de phishing | 钓鱼网站检测 | フィッシング検出",
  }),
  pentest: task("security", 1, {
    does: "test web applications for security holes | run penetration tests against your API | scan servers for open ports and CVEs",
    nouns: "penetration testing | web vulnerability scanner | CVE reports",
    abroad: "test d'intrusion | pruebas de penetración | Penetrationstests | teste de intrusão | 渗透测试 | 侵入テスト",
  }),
  "code-review": task("software", 3, {
    does: "review pull requests | comment on code quality and bugs in diffs | check commits against your style guide",
    nouns: "code review | pull request feedback | automated review of TypeScript and Python code",
    abroad:
      "revue de code | revisión de código | Code-Review von Pull Requests | revisão de código | 代码审查 | コードレビュー",
  }),
  "code-generation": task("software", 4, {
    does: "write code from a specification | generate Python and TypeScript programs | build full-stack apps from a prompt",
    nouns: "code generation | AI programmer | prompt to app",
    abroad: "génération de code | generación de código | Codegenerierung | geração de código | 代码生成 | コード生成",
  }),
  "unit-tests": task("software", 1, {
    does: "write unit tests for existing code | raise test coverage | generate regression suites",
    nouns: "unit test generation | test coverage | regression testing",
    abroad:
      "génération de tests unitaires | generación de pruebas unitarias | Erstellung von Unit-Tests | geração de testes unitários | 单元测试生成 | 単体テストの生成",
  }),
  deployment: task("software", 1, {
    does: "deploy containers to Kubernetes | set up CI pipelines | manage Terraform and cloud servers",
    nouns: "DevOps automation | Kubernetes deployment | CI/CD pipelines",
    abroad:
      "déploiement Kubernetes | despliegue en Kubernetes | Kubernetes-Bereitstellung | implantação no Kubernetes | Kubernetes部署 | Kubernetesへのデプロイ",
  }),
  sql: task("software", 1, {
    does: "write SQL from questions in plain English | optimize slow database queries | design Postgres schemas",
    nouns: "text to SQL | database query assistant | Postgres tuning",
    abroad:
      "requêtes SQL en langage naturel | consultas SQL en lenguaje natural | SQL-Abfragen aus natürlicher Sprache | consultas SQL em linguagem natural | 自然语言转SQL | 自然言語からSQL",
  }),
  "price-feed": perChain("markets", 6, {
    does: "stream live token prices on {x} | serve a price feed for {x} tokens | return spot prices and OHLC candles for {x} | publish oracle prices on {x}",
    nouns: "{x} price feed | token price oracle for {x} | real-time crypto quotes, {x} | market data API for {x}",
    abroad:
      "flux de prix de jetons | precios de tokens en tiempo real | Kursdaten für Token | preços de tokens em tempo real | 代币价格行情 | トークン価格フィード",
  }),
  trading: perChain("markets", 8, {
    does: "trade tokens on {x} around the clock | execute momentum strategies on {x} | copy the trades of profitable wallets on {x} | place limit orders and stop losses on {x}",
    nouns: "{x} trading bot | automated trading on {x} | copy trading for {x} | algorithmic trading signals",
    abroad:
      "robot de trading crypto | bot de trading de criptomonedas | Krypto-Handelsbot | robô de trading de cripto | 加密货币交易机器人 | 仮想通貨の自動売買",
  }),
  arbitrage: perChain("markets", 2, {
    does: "find arbitrage between exchanges on {x} | capture price differences across pools on {x} | run MEV backruns on {x}",
    nouns: "arbitrage scanner for {x} | cross-exchange arbitrage | MEV searcher on {x}",
    abroad:
      "arbitrage entre bourses | arbitraje entre exchanges | Arbitrage zwischen Börsen | arbitragem entre corretoras | 交易所套利 | 取引所間の裁定取引",
  }),
  portfolio: task("markets", 3, {
    does: "track your portfolio across chains | rebalance holdings to target weights | report profit and loss of wallets",
    nouns: "portfolio tracker | automatic rebalancing | profit and loss reports",
    abroad:
      "suivi de portefeuille | seguimiento de cartera | Portfolio-Verwaltung | acompanhamento de carteira | 投资组合跟踪 | ポートフォリオ管理",
  }),
  sentiment: task("markets", 3, {
    does: "measure crypto sentiment on X and Telegram | score the mood of news headlines | track mentions of tokens in social media",
    nouns: "sentiment analysis | social listening for tokens | fear and greed index",
    abroad:
      "analyse de sentiment du marché | análisis de sentimiento del mercado | Stimmungsanalyse der Märkte | análise de sentimento do mercado | 市场情绪分析 | 市場センチメント分析",
  }),
  stocks: task("markets", 1, {
    does: "analyze stocks and earnings reports | screen equities by fundamentals | follow forex pairs",
    nouns: "stock analysis | equity research | forex signals",
    abroad:
      "analyse d'actions en bourse | análisis de acciones | Aktienanalyse | análise de ações | 股票分析 | 株式分析",
  }),
  predictions: task("markets", 1, {
    does: "forecast the odds of events | trade on Polymarket | estimate probabilities for prediction markets",
    nouns: "prediction market odds | event forecasting | Polymarket analytics",
    abroad:
      "marchés de prédiction | mercados de predicción | Prognosemärkte | mercados de previsão | 预测市场 | 予測市場",
  }),
  yield: perChain("defi", 5, {
    does: "find the best yield for stablecoins on {x} | farm and compound rewards on {x} | move deposits to the highest APY on {x}",
    nouns: "yield optimizer on {x} | yield farming for {x} | auto-compounding vaults",
    abroad:
      "optimisation du rendement DeFi | optimización de rendimiento DeFi | DeFi-Renditeoptimierung | otimização de rendimento DeFi | DeFi收益优化 | DeFi利回りの最適化",
  }),
  swap: perChain("defi", 4, {
    does: "swap tokens at the best rate on {x} | route orders through DEX aggregators on {x} | exchange one coin for another on {x}",
    nouns: "token swap on {x} | DEX aggregator for {x} | best swap route",
    abroad:
      "échange de jetons | intercambio de tokens | Tausch von Token | troca de tokens | 代币兑换 | トークンスワップ",
  }),
  bridge: perChain("defi", 2, {
    does: "bridge assets to {x} | move USDC across chains to {x} | find the cheapest cross-chain route to {x}",
    nouns: "cross-chain bridge to {x} | bridging of USDC | interchain transfers with {x}",
    abroad:
      "pont inter-chaînes | puente entre cadenas | Brücke zwischen Blockchains | ponte entre redes | 跨链桥 | クロスチェーンブリッジ",
  }),
  lending: perChain("defi", 1, {
    does: "manage loans and collateral on {x} | protect positions from liquidation on {x} | compare borrow rates on {x}",
    nouns: "lending positions on {x} | liquidation protection | borrow rate monitor for {x}",
    abroad: "prêts et emprunts DeFi | préstamos DeFi | DeFi-Kredite | empréstimos DeFi | DeFi借贷 | DeFiレンディング",
  }),
  gas: perChain("defi", 1, {
    does: "estimate gas fees on {x} | predict the cheapest time to transact on {x} | alert on low fees on {x}",
    nouns: "gas fee tracker for {x} | gas price estimates on {x} | fee forecast",
    abroad:
      "estimation des frais de gas | estimación de comisiones de gas | Schätzung der Gas-Gebühren | estimativa de taxas de gas | Gas费用估算 | ガス代の予測",
  }),
  launch: perChain("defi", 5, {
    does: "launch tokens on {x} from a chat message | deploy memecoins with liquidity on {x} | set up a fair launch on {x}",
    nouns: "token launchpad on {x} | memecoin launcher | token deployment on {x}",
    abroad:
      "lancement de jetons | lanzamiento de tokens | Start von Token | lançamento de tokens | 代币发行 | トークンの発行",
  }),
  airdrops: perChain("defi", 2, {
    does: "find airdrops you can claim on {x} | check airdrop eligibility of a wallet on {x} | remind you of claim deadlines",
    nouns: "airdrop checker for {x} | airdrop alerts | claim reminders on {x}",
    abroad:
      "alertes d'airdrops | alertas de airdrops | Airdrop-Benachrichtigungen | alertas de airdrops para carteiras | 空投提醒 | エアドロップ通知",
  }),
  scraping: task("data", 4, {
    does: "scrape websites into clean JSON | crawl pages behind JavaScript | extract product data from online shops",
    nouns: "web scraping | website crawler | structured data from any page",
    abroad:
      "extraction de données web | extracción de datos web | Web-Scraping | extração de dados da web | 网页数据抓取 | ウェブスクレイピング",
  }),
  "pdf-extraction": task("data", 2, {
    does: "extract tables from PDF files | read scanned invoices with OCR | convert documents into structured fields",
    nouns: "PDF extraction | OCR of scanned documents | document parsing",
    abroad:
      "extraction de PDF et OCR | extracción de PDF y OCR | PDF-Extraktion und OCR | extração de PDF e OCR | PDF提取与OCR识别 | PDF抽出とOCR",
  }),
  cleaning: task("data", 1, {
    does: "clean and deduplicate spreadsheets | normalize addresses and names in CSV files | label training data",
    nouns: "data cleaning | CSV deduplication | data labeling",
    abroad:
      "nettoyage de données | limpieza de datos | Datenbereinigung | limpeza de dados | 数据清洗 | データクレンジング",
  }),
  analytics: perChain("data", 5, {
    does: "analyze on-chain activity on {x} | follow whale wallets on {x} | build dashboards of {x} protocols",
    nouns: "on-chain analytics for {x} | whale tracking on {x} | blockchain dashboards",
    abroad:
      "analyse de données on-chain | análisis de datos on-chain | On-Chain-Analysen | análise de dados on-chain | 链上数据分析 | オンチェーン分析",
  }),
  decoding: perChain("data", 1, {
    does: "explain raw transactions on {x} in plain English | decode calldata and event logs of {x} | translate bytecode into readable steps",
    nouns: "transaction decoder for {x} | calldata explanation | human-readable transactions on {x}",
    abroad:
      "décodage de transactions | decodificación de transacciones | Dekodierung von Transaktionen | decodificação de transações | 交易解码 | トランザクションの解読",
  }),
  "web-search": task("research", 4, {
    does: "search the web and cite sources | answer questions with fresh results | look up facts across the internet",
    nouns: "web search | search engine for agents | answers with citations",
    abroad:
      "recherche sur le web | búsqueda en la web | Websuche mit Quellen | pesquisa na web | 网络搜索 | ウェブ検索",
  }),
  papers: task("research", 1, {
    does: "find and explain scientific papers | summarize research from arXiv and PubMed | prepare literature reviews",
    nouns: "literature review | academic paper search | arXiv digest",
    abroad:
      "recherche d'articles scientifiques | búsqueda de artículos científicos | Suche wissenschaftlicher Artikel | pesquisa de artigos científicos | 学术论文检索 | 論文検索",
  }),
  "fact-check": task("research", 1, {
    does: "verify claims in news articles | check statements against reliable sources | debunk rumours",
    nouns: "fact checking | claim verification | misinformation detection",
    abroad:
      "vérification des faits | verificación de hechos | Faktenprüfung | checagem de fatos | 事实核查 | ファクトチェック",
  }),
  patents: task("research", 1, {
    does: "search patents for prior art | monitor trademark filings | compare inventions with granted patents",
    nouns: "prior art search | patent analysis | trademark monitoring",
    abroad:
      "recherche de brevets | búsqueda de patentes | Patentrecherche | pesquisa de patentes | 专利检索 | 特許調査",
  }),
  images: task("media", 6, {
    does: "generate images from a text prompt | draw illustrations and avatars | create photorealistic pictures",
    nouns: "image generation | AI art | text to image",
    abroad: "génération d'images | generación de imágenes | Bilderzeugung | geração de imagens | 图像生成 | 画像生成",
  }),
  logos: task("media", 1, {
    does: "design logos and brand kits | make vector icons | propose colour palettes for brands",
    nouns: "logo design | brand identity | SVG icons",
    abroad: "création de logos | diseño de logotipos | Logo-Design | criação de logotipos | 标志设计 | ロゴデザイン",
  }),
  video: task("media", 3, {
    does: "generate short videos from a script | edit clips and add subtitles | animate still pictures",
    nouns: "video generation | clip editing with subtitles | text to video",
    abroad: "génération de vidéos | generación de vídeos | Videoerzeugung | geração de vídeos | 视频生成 | 動画生成",
  }),
  music: task("media", 2, {
    does: "compose royalty-free music | generate beats and jingles | master songs",
    nouns: "music generation | song composition | audio mastering",
    abroad: "génération de musique | generación de música | Musikerzeugung | geração de música | 音乐生成 | 音楽生成",
  }),
  upscaling: task("media", 1, {
    does: "upscale photos without loss | remove backgrounds from product pictures | restore old photographs",
    nouns: "image upscaling | background removal | photo restoration",
    abroad:
      "agrandissement d'images | ampliación de imágenes | Bildvergrößerung | ampliação de imagens | 图片放大与抠图 | 画像の高解像度化",
  }),
  nft: perChain("nft", 4, {
    does: "mint NFT collections on {x} | generate NFT metadata and upload it | run drops with allowlists on {x}",
    nouns: "NFT minting on {x} | NFT drop manager | collection launch on {x}",
    abroad:
      "création de collections NFT | creación de colecciones NFT | Erstellung von NFT-Sammlungen | criação de coleções NFT | NFT铸造 | NFTのミント",
  }),
  "nft-value": perChain("nft", 1, {
    does: "appraise NFTs on {x} by rarity | track floor prices of collections on {x} | spot underpriced listings",
    nouns: "NFT valuation on {x} | rarity ranking | floor price alerts for {x}",
    abroad: "évaluation de NFT | valoración de NFT | Bewertung von NFT | avaliação de NFT | NFT估值 | NFTの価格評価",
  }),
  support: task("business", 4, {
    does: "answer customer questions around the clock | resolve support tickets | run a helpdesk over chat and email",
    nouns: "customer support | helpdesk assistant | ticket triage",
    abroad:
      "service client automatisé | atención al cliente | Kundensupport | atendimento ao cliente | 客户服务 | カスタマーサポート",
  }),
  leads: task("business", 3, {
    does: "find leads and their contact data | qualify prospects for sales teams | enrich company profiles",
    nouns: "lead generation | sales prospecting | B2B contact enrichment",
    abroad:
      "génération de prospects | generación de clientes potenciales | Leadgenerierung | geração de leads | 销售线索挖掘 | 見込み客の獲得",
  }),
  email: task("business", 2, {
    does: "sort your inbox and draft replies | send newsletters | write cold outreach emails",
    nouns: "email assistant | inbox triage | newsletter automation",
    abroad:
      "assistant de messagerie | asistente de correo electrónico | E-Mail-Assistent | assistente de e-mail | 邮件助手 | メールアシスタント",
  }),
  scheduling: task("business", 2, {
    does: "schedule meetings across time zones | manage calendars and reminders | book appointments by chat",
    nouns: "meeting scheduling | calendar assistant | appointment booking",
    abroad:
      "planification de réunions | programación de reuniones | Terminplanung | agendamento de reuniões | 会议日程安排 | 会議の日程調整",
  }),
  invoicing: task("business", 1, {
    does: "create invoices and chase payments | reconcile bank statements | keep the books of small companies",
    nouns: "invoicing | bookkeeping | accounts receivable automation",
    abroad:
      "facturation et comptabilité | facturación y contabilidad | Rechnungsstellung und Buchhaltung | faturamento e contabilidade | 发票与记账 | 請求書作成と会計",
  }),
  tax: task("business", 1, {
    does: "compute capital gains taxes on crypto | prepare tax returns | find deductible expenses",
    nouns: "crypto tax reports | tax filing | capital gains calculator",
    abroad:
      "déclaration fiscale crypto | declaración de impuestos cripto | Krypto-Steuererklärung | declaração de impostos de cripto | 加密税务申报 | 仮想通貨の税務申告",
  }),
  recruiting: task("business", 1, {
    does: "screen resumes and rank candidates | source engineers for open positions | conduct first interviews",
    nouns: "recruiting | resume screening | talent sourcing",
    abroad:
      "recrutement et tri de CV | selección de personal | Personalauswahl | recrutamento e triagem de currículos | 招聘与简历筛选 | 採用と履歴書選考",
  }),
  seo: task("business", 2, {
    does: "audit websites for search rankings | research keywords and backlinks | optimize meta tags",
    nouns: "SEO audit | keyword research | backlink analysis",
    abroad: "audit SEO | auditoría SEO | SEO-Analyse | auditoria de SEO | SEO优化 | SEO対策",
  }),
  social: task("business", 4, {
    does: "post and schedule content on social networks | grow followers on X and Farcaster | manage Discord and Telegram communities",
    nouns: "social media management | community moderation | tweet scheduling",
    abroad:
      "gestion des réseaux sociaux | gestión de redes sociales | Betreuung sozialer Medien | gestão de redes sociais | 社交媒体运营 | SNS運用",
  }),
  travel: task("travel", 2, {
    does: "plan trips day by day | build itineraries with maps | suggest destinations for your budget",
    nouns: "travel planning | trip itineraries | vacation ideas",
    abroad:
      "planification de voyages | planificación de viajes | Reiseplanung | planejamento de viagens | 旅行规划 | 旅行プランの作成",
  }),
  flights: task("travel", 2, {
    does: "search cheap flights | book airline tickets and hotels | watch fares and alert on drops",
    nouns: "flight search | hotel booking | fare alerts",
    abroad:
      "recherche de vols et d'hôtels | búsqueda de vuelos y hoteles | Flug- und Hotelsuche | busca de voos e hotéis | 机票和酒店预订 | 航空券とホテルの予約",
  }),
  weather: task("world", 1, {
    does: "report weather forecasts for any place | warn of storms and frost | serve hourly temperature data",
    nouns: "weather forecast | storm alerts | climate data API",
    abroad: "prévisions météo | pronóstico del tiempo | Wettervorhersage | previsão do tempo | 天气预报 | 天気予報",
  }),
  maps: task("world", 1, {
    does: "geocode addresses | compute routes and travel times | find places nearby",
    nouns: "geocoding | route planning | points of interest search",
    abroad:
      "géocodage et itinéraires | geocodificación y rutas | Geokodierung und Routen | geocodificação e rotas | 地理编码与路线 | ジオコーディングと経路",
  }),
  news: task("world", 3, {
    does: "deliver a daily news briefing | aggregate RSS feeds by topic | push breaking headlines",
    nouns: "news feed | daily briefing | RSS aggregation",
    abroad:
      "revue de presse quotidienne | resumen diario de noticias | tägliche Nachrichten | resumo diário de notícias | 每日新闻简报 | 毎日のニュース",
  }),
  nutrition: task("life", 1, {
    does: "plan meals and count calories | suggest recipes from what is in the fridge | design diets for allergies",
    nouns: "meal planning | recipe ideas | nutrition coach",
    abroad:
      "recettes et planification des repas | recetas y planificación de comidas | Rezepte und Ernährungsplanung | receitas e planejamento de refeições | 食谱与饮食计划 | レシピと献立",
  }),
  fitness: task("life", 1, {
    does: "build workout plans | coach runners | track training progress",
    nouns: "fitness coaching | workout plans | personal trainer",
    abroad:
      "programme d'entraînement sportif | entrenamiento personal | Trainingspläne | treino personalizado | 健身计划 | トレーニング計画",
  }),
  health: task("life", 1, {
    does: "explain lab results and symptoms | answer medical questions with sources | remind patients of medication",
    nouns: "medical information | symptom checker | health assistant",
    abroad:
      "informations médicales | información médica | medizinische Auskunft | informações médicas | 医疗健康咨询 | 医療情報",
  }),
  tutoring: task("learning", 2, {
    does: "tutor students in mathematics and physics | explain homework step by step | prepare learners for exams",
    nouns: "math tutoring | homework help | exam preparation",
    abroad:
      "soutien scolaire en mathématiques | clases de matemáticas | Mathematik-Nachhilfe | aulas de matemática | 数学辅导 | 数学の家庭教師",
  }),
  lessons: perLanguage("learning", 1, {
    does: "teach {x} in conversation | drill {x} vocabulary | correct learners of {x}",
    nouns: "{x} lessons | conversation practice in {x} | {x} vocabulary trainer",
    abroad: "cours de langues | clases de idiomas | Sprachunterricht | aulas de idiomas | 语言学习课程 | 語学レッスン",
  }),
  property: task("life", 1, {
    does: "find apartments and houses for sale | estimate the value of real estate | compare rents by neighbourhood",
    nouns: "real estate search | property valuation | rental listings",
    abroad:
      "recherche immobilière | búsqueda inmobiliaria | Immobiliensuche | busca de imóveis | 房产搜索 | 不動産検索",
  }),
  shopping: task("life", 2, {
    does: "compare prices in online shops | find coupons and deals | order groceries",
    nouns: "shopping assistant | price comparison | deal finder",
    abroad: "comparateur de prix | comparador de precios | Preisvergleich | comparador de preços | 购物比价 | 価格比較",
  }),
  storage: task("infrastructure", 1, {
    does: "pin files to IPFS | store encrypted backups on Arweave | host static sites on decentralized storage",
    nouns: "IPFS pinning | decentralized storage | Arweave uploads",
    abroad:
      "stockage décentralisé IPFS | almacenamiento descentralizado IPFS | dezentraler IPFS-Speicher | armazenamento descentralizado IPFS | IPFS去中心化存储 | IPFS分散型ストレージ",
  }),
  compute: task("infrastructure", 1, {
    does: "rent GPU servers by the minute | run inference of open models | fine-tune language models",
    nouns: "GPU compute | model inference API | LLM fine-tuning",
    abroad: "location de GPU | alquiler de GPU | GPU-Vermietung | aluguel de GPU | GPU算力租用 | GPUレンタル",
  }),
  nodes: perChain("infrastructure", 1, {
    does: "provide RPC access to {x} | index blocks and logs of {x} | push webhooks for {x} addresses",
    nouns: "RPC endpoint for {x} | {x} indexer | address webhooks on {x}",
    abroad:
      "accès RPC à la blockchain | acceso RPC a la blockchain | RPC-Zugang zur Blockchain | acesso RPC à blockchain | 区块链RPC节点 | ブロックチェーンRPC",
  }),
  gaming: task("fun", 3, {
    does: "play chess and poker against you | run text adventures as a dungeon master | manage guilds in on-chain games",
    nouns: "game master | chess opponent | on-chain gaming guild",
    abroad: "maître de jeu | director de juego | Spielleiter | mestre de jogo | 游戏主持 | ゲームマスター",
  }),
  companion: task("fun", 6, {
    does: "chat about your day | tell jokes and stories | role-play characters",
    nouns: "chat companion | virtual friend | role-play character",
    abroad:
      "compagnon de conversation | compañero de conversación | Gesprächspartner | companheiro de conversa | 聊天伙伴 | 会話相手",
  }),
};

export type TaskKey = keyof typeof TASKS;
export const TASK_KEYS = Object.keys(TASKS) as TaskKey[];
export const taskOf = (key: TaskKey): Task => TASKS[key];

/** Pairs of tasks of different fields that help with the same wish: grade 1. */
const ACROSS: readonly (readonly [TaskKey, TaskKey])[] = [
  ["translation", "lessons"],
  ["audit", "code-review"],
  ["web-search", "scraping"],
  ["analytics", "price-feed"],
  ["analytics", "wallet-risk"],
  ["pdf-extraction", "invoicing"],
  ["sentiment", "social"],
  ["sentiment", "news"],
  ["invoicing", "tax"],
  ["swap", "trading"],
  ["summarization", "papers"],
  ["copywriting", "seo"],
  ["portfolio", "yield"],
];

/** Whether an agent of one task is of some use for another: of the same field, or named in `ACROSS`. */
export const near = (a: TaskKey, b: TaskKey): boolean =>
  TASKS[a].field === TASKS[b].field ||
  ACROSS.some(([one, other]) => (one === a && other === b) || (one === b && other === a));
