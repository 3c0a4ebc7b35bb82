/**
 * Words by which a question refers to what the reader has in front of them: "explain this page", "the
 * example above", "what does this do?". One entry per language of the widget. `*` stands for any ending.
 * In Japanese and Chinese, words are found inside the text, the longest first.
 */
export interface ReferringWords {
  /** Words that point, also without a noun: "explain this". Accents count: "esta" isn't "está". */
  these: string;
  /** Words that point only next to a part: "the example above". Accents count. */
  places: string;
  /** The page itself, in the singular and without accents: "the page". If a question names nothing else, it means it. */
  whole: string;
  /** What a page consists of, and the page, without accents. They mean the reader's next to a word that points. */
  parts: string;
  /** What a page belongs to, without accents. "This site" isn't the page. */
  larger: string;
  /** Words that don't say what a question is about, in addition to the stop words, without accents. */
  plain: string;
}

export const referringWords: Readonly<Record<string, ReferringWords>> = {
  english: {
    these: 'this these here',
    whole: 'page article guide chapter tutorial document',
    parts:
      'page pages article guide section chapter tutorial document text paragraph table diagram figure image example examples code snippet sample samples',
    places: 'above below current',
    larger:
      'site website docs documentation project product tool library framework package app application repo repository',
    plain:
      'it that here above below explain* summar* sum recap overview gist tl tldr dr eli5 describe* elaborate clarif* simplif* shorten translat* mean* key main points takeaways important brief* short* simple* simply word* term* detail* point purpose covered cover* content* whole entire step line part written said say says happening going exactly again bit bullet* language english sentence* paragraph* code',
  },
  german: {
    these: 'dies diese dieser dieses diesen diesem hier',
    whole: 'seite artikel kapitel anleitung tutorial leitfaden dokument',
    parts:
      'seite seiten artikel* abschnitt* kapitel* anleitung* tutorial* leitfaden dokument text* absatz tabelle diagramm abbildung bild beispiel* code codebeispiel* codeblock snippet* codeausschnitt ausschnitt',
    places: 'oben unten obige* hier aktuelle* vorliegende* darüber darueber darunter',
    larger:
      'site website projekt* dokumentation* bibliothek* framework* paket* werkzeug* tool* produkt*',
    plain:
      'das es damit dabei darin dazu davon dafur erklar* erlauter* beschreib* fass* zusammen* zusammenfass* uberblick kurz* einfach* bedeut* heiss* mach* funktionier* passier* geht handelt worum worin inhalt* thema wichtig* punkt* kernaussage* stichpunkt* wort* satz* genau* ubersetz* zeig* sag* steht verwend* benutz* nutz* brauch* zweck sinn dient gut eigentlich alles ganz* ganze beispiel* deutsch* verstand* versteh* lern* code detail* schritt*',
  },
  french: {
    these: 'cet cette ces ceci ici',
    whole: 'page article guide chapitre tutoriel document',
    parts:
      'page article guide section chapitre tutoriel document texte paragraphe tableau schema figure image exemple exemples code extrait bloc',
    places: 'ce dessus dessous haut bas ici actuelle actuel présente',
    larger: 'site documentation projet bibliotheque framework outil produit paquet',
    plain:
      'ce est cela ca expli* resum* decri* signifie* veut dire marche* fonctionn* sert servent bref brievement court simple* simplement mots idee* point* principal* principaux essentiel* important* contenu sujet parle* propos traduire tradui* montre* dis donne* utilis* necessaire exactement detail* ligne* but role francais code apprendre',
  },
  spanish: {
    these: 'este esta estos estas esto aquí aqui',
    whole: 'pagina articulo guia capitulo tutorial documento',
    parts:
      'pagina articulo guia seccion capitulo tutorial documento texto parrafo tabla diagrama figura imagen ejemplo ejemplos codigo fragmento bloque',
    places: 'arriba abajo anterior aquí aqui actual superior inferior',
    larger:
      'sitio documentacion proyecto biblioteca libreria framework herramienta producto paquete',
    plain:
      'eso ello explic* resum* describ* signific* quiere decir funcion* sirve* breve* brevemente corto simple* sencill* palabra* idea* punto* clave* principal* importante* contenido tema trata* habla* traduc* muestra* dame da di dime ejemplo* usa* uso utiliz* necesit* exactamente detalle* linea* objetivo proposito proposit* espanol codigo aprender frase* hago entender entiendo',
  },
  italian: {
    these: 'questo questa questi queste qui qua ciò cio',
    whole: 'pagina articolo guida capitolo tutorial documento',
    parts:
      'pagina articolo guida sezione capitolo tutorial documento testo paragrafo tabella diagramma figura immagine esempio esempi codice frammento blocco',
    places: 'sopra sotto qui precedente attuale corrente',
    larger: 'sito documentazione progetto libreria framework strumento prodotto pacchetto',
    plain:
      'lo spieg* riassum* riassunto riepilog* descriv* signific* vuol dire funzion* serve servono breve* brevemente semplic* parole punti principal* chiave important* contenuto argomento parla tratta traduc* mostra* dammi dimmi esempio us* utilizz* esattamente dettagli* riga righe scopo italiano codice fa fanno',
  },
  portuguese: {
    these:
      'este esta estes estas isto isso esse essa aqui desta deste nesta neste dessa desse nessa nesse disto disso',
    whole: 'pagina artigo guia capitulo tutorial documento',
    parts:
      'pagina artigo guia secao seccao capitulo tutorial documento texto paragrafo tabela diagrama figura imagem exemplo exemplos codigo trecho bloco',
    places: 'acima abaixo anterior aqui atual',
    larger: 'site documentacao projeto biblioteca framework ferramenta produto pacote',
    plain:
      'ele ela expli* resum* descrev* signific* quer dizer funcion* serve* breve* brevemente simples* palavra* ponto* principa* chave important* conteudo assunto tema trata fala traduz* mostr* diga da exemplo* us* utiliz* exatamente detalhe* linha* objetivo portugues codigo faz fazer entender aprender',
  },
  dutch: {
    these: 'dit deze hier',
    whole: 'pagina artikel handleiding hoofdstuk tutorial document',
    parts:
      'pagina artikel handleiding sectie hoofdstuk tutorial document tekst alinea tabel diagram figuur afbeelding voorbeeld voorbeelden code codevoorbeeld fragment paragraaf',
    places: 'hierboven hieronder boven onder bovenstaande onderstaande huidige hier',
    larger: 'site website documentatie project bibliotheek framework tool product pakket',
    plain:
      'dat het leg legt uitleg uitleggen uit vat samen samenvat* beschrijf* beteken* werk* doet kort* eenvoudig* woord* punt* belangrijk* inhoud onderwerp gaat vertaal* laat zien geef gebruik* precies detail* regel* doel nederlands code staat dient nodig voorbeeld*',
  },
  polish: {
    these: 'ta tę tą tej te ten tego tym tutaj',
    whole:
      'strona strone stronie strony artykul artykule artykulu rozdzial przewodnik samouczek poradnik dokument',
    parts:
      'stron* artyku* przewodnik* sekcj* rozdzia* samouczek samouczk* poradnik* dokument* tekst* akapit* tabel* diagram* rysun* obraz* przyklad* kod kodu kodzie fragment*',
    places:
      'powyżej powyzej poniżej ponizej powyższ* powyzsz* poniższ* ponizsz* tutaj bieżąc* biezac* obecn*',
    larger: 'witryn* dokumentacj* projek* bibliote* framework* narzedzi* produk* pakie*',
    plain:
      'to tu co czy jak jaki jaka jakie dlaczego czemu po do w na z ze o i a za mi mnie prosze wyjasni* wytlumacz* podsumuj* podsumow* stresc* opis* znacz* oznacza* dzial* robi robic jest sa sie chodzi sluzy mozna moge moze kiedy gdzie krotko prost* slow* najwazniejsz* punkt* tresc temat mowi przetlumacz* pokaz* daj uzyc uzywa* uzyw* potrzebn* dokladn* szczegol* cel polsk*',
  },
  russian: {
    these: 'этот эта эту это этой этом этого этих эти этим здесь тут',
    whole:
      'страница страницу странице страницы статья статью статье статьи глава главу руководство урок документ',
    parts:
      'страниц* стать* руководств* раздел* глав* урок* документ* текст* абзац* таблиц* диаграмм* схем* рисун* изображени* пример* код кода коде фрагмент*',
    places: 'выше ниже здесь текущ* данн* вышеприведенн* приведенн* приведённ*',
    larger: 'сайт* документаци* проект* библиотек* фреймворк* инструмент* продукт* пакет*',
    plain:
      'он она оно что как какой какая какие почему зачем когда где в на о об из с по для и а ли мне можно могу может нужно ли пожалуиста объясни* поясни* резюм* перескаж* суммир* кратко краткое опиши* опис* значит означа* работа* дела* есть идет речь просты* слов* главн* важн* мысл* пункт* содержани* тем* говор* перевед* покаж* даи использ* нужен нужна точно подробн* цель служит русск* расскажи* изложи*',
  },
  ukrainian: {
    these: 'цей ця цю це цій цьому цього цих ці цим тут',
    whole:
      'сторінка сторінку сторінці сторінки стаття статтю статті глава главу посібник урок документ',
    parts:
      'сторін* статт* посібник* розділ* глав* урок* документ* текст* абзац* таблиц* діаграм* схем* малюн* зображен* приклад* код коду коді фрагмент*',
    places: 'вище нижче тут поточн* даний даній наведен*',
    larger: 'сайт* документаці* проєкт* проект* бібліоте* фреймворк* інструмент* продукт* пакет*',
    plain:
      'він вона воно що як яка які якии чому навіщо коли де в у на про з із по для і та а чи мені можна можу може треба потрібно будь ласка поясни* підсумуи* підсумок резюм* стисло коротко опиши* означа* значить працює роби* є идеться мова прост* слов* головн* важлив* думк* пункт* зміст тем* говор* переклад* покаж* даи викорис* потріб* точно детальн* мета служить українськ* розкажи* перекажи*',
  },
  turkish: {
    these: 'bu bunu bunun bunlar bunları bunlari burada burası burasi buradaki',
    whole:
      'sayfa sayfayi sayfada sayfanin makale makaleyi rehber rehberi kilavuz kilavuzu belge belgeyi',
    parts:
      'sayfa* makale* rehber* kilavuz* bolum* egitim* belge* metin* metn* paragraf* tablo* diyagram* sekil sekl* resim ornek* orneg* kod kodu kodun kodda parca*',
    places:
      'yukarıdaki yukaridaki aşağıdaki asagidaki yukarıda yukarida aşağıda asagida mevcut şuanki şimdiki',
    larger: 'site* dokumantasyon* proje* kutuphane* framework* arac* urun* paket*',
    plain:
      'o ne gel* nedir neden nicin nasil mi mu icin ile ve bir acikla* ozet* anlat* tanimla* anlam* demek calis* yap* kisaca basit* onemli nokta* icerik konu* hakkinda cevir* goster* ver kullan* gerek* tam ayrinti* amac* turkce ise yarar yariyor bana lutfen',
  },
  arabic: {
    these: 'هذا هذه هؤلاء هنا',
    whole: 'الصفحة المقال المقالة الدليل الفصل الدرس المستند',
    parts:
      'الصفحة صفحة المقال المقالة الدليل القسم الفصل الدرس المستند النص الفقرة الجدول المخطط الشكل الصورة المثال مثال الكود الشيفرة الرمز المقطع الجزء',
    places: 'أعلاه ادناه أدناه السابق السابقة الحالي الحالية هنا',
    larger: 'الموقع الوثائق التوثيق المشروع المكتبة الأداة المنتج الحزمة',
    plain:
      'ذلك ما ماذا كيف لماذا متى أين هل من في عن على إلى لي هو هي و أو أن يمكن يمكنك يمكنني اشرح شرح فسر تفسير لخص تلخيص ملخص خلاصة صف وصف معنى يعني تعني يعمل تعمل يفعل تفعل باختصار ببساطة أهم النقاط الرئيسية محتوى موضوع تتحدث يتحدث ترجم أرني أعطني استخدام أستخدم نستخدم فائدة الغرض بالتفصيل تفاصيل بالعربية فضلك',
  },
  japanese: {
    these: 'この これ これら ここ こちら',
    whole: 'ページ 記事 ガイド 章 チュートリアル ドキュメント 文書',
    parts:
      'ページ 記事 ガイド セクション 章 節 チュートリアル ドキュメント 文書 文章 テキスト 段落 表 図 画像 例 コード例 コード サンプル サンプルコード スニペット 部分 箇所',
    places: '上 上の 上記 上記の 下 下の 下記 下記の 現在の 今の 今見ている 前の',
    larger: 'サイト ウェブサイト プロジェクト ライブラリ フレームワーク ツール 製品 パッケージ',
    plain:
      'それ そこ 説明 要約 意味 内容 概要 要点 何 何故 簡単 簡潔 短 教 使 使用 方法 使い方 必要 理由 動作 動 仕組 役割 目的 ポイント 翻訳 日本語 書 言 一言 具体 具体的 詳 詳細 詳しく 主 重要 結局 全体 解説 紹介 三行 行 点 分 分か 理解 見 出 読',
  },
  korean: {
    these: '이 이것 이것은 이것을 이것이 이게 이거 이걸 여기 여기서 여기에 여기에서',
    places: '위 위의 위에 아래 아래의 아래에 현재 지금 앞의',
    whole:
      '페이지 페이지를 페이지의 페이지는 문서 문서를 문서의 문서는 글 글을 글의 가이드 가이드를 튜토리얼 튜토리얼을',
    parts:
      '페이지* 문서* 글 글은 글을 글의 글에서 가이드* 섹션* 튜토리얼* 텍스트* 문단* 단락* 표 표는 표를 표의 표에서 그림* 이미지* 예제* 예시* 코드* 스니펫* 샘플* 부분*',
    larger: '사이트* 웹사이트* 프로젝트* 라이브러리* 프레임워크* 도구* 제품* 패키지*',
    plain:
      '그것* 그게 무엇* 뭐* 뭔* 왜 어떻게 언제 어디* 설명* 요약* 정리* 의미* 뜻* 내용* 핵심* 주제* 간단* 쉽게 짧게 자세히 자세하게 한국어* 번역* 알려* 보여* 주세요 줘 해줘 해주세요 작동* 동작* 하는* 하나요 하면 해 무슨 대해* 대한 관한 사용* 쓰* 필요* 이유* 목적* 역할* 다루* 있* 것* 거* 건* 중요* 점* 한 두 세 줄* 문장* 읽* 좀 되나요 인가요 입니까 나와 적혀*',
  },
  chinese: {
    these: '这 这个 这些 这里 这段 这篇 这是 这张',
    whole: '页面 网页 文章 指南 章节 教程 文档',
    parts:
      '页 页面 一页 网页 文章 指南 章节 章 节 小节 一节 教程 文档 文本 文字 内容 段落 段 表格 表 图 图片 示例 例子 代码 代码示例 代码段 代码片段 片段 部分 样例',
    places: '上面 上面的 上述 以上 下面 下面的 下述 以下 当前 当前的 本 此 该 上文 前面的',
    larger: '网站 站点 项目 库 框架 工具 产品 软件包',
    plain:
      '它 那 请 的 了 吗 呢 吧 是 在 有 什么 什么意思 意思 怎么 怎样 如何 为什么 为何 哪 哪里 何时 解释 解释一下 一下 总结 总结一下 概括 概述 摘要 说明 描述 介绍 介绍了 讲 讲了 讲的 说 说了 做 干什么 用 用来 作用 用途 工作 运行 简单 简要 简短 主要 重点 要点 关键 翻译 中文 给 我 帮 帮我 能 能不能 可以 你 需要 具体 详细 含义 目的 一个 几句话 用法 使用 到底 关于 吗 就是 里 中 上 个 和',
  },
  'traditional chinese': {
    these: '這 這個 這些 這裡 這裏 這段 這篇 這是 這張',
    whole: '頁面 網頁 文章 指南 章節 教學 教程 文件 文檔',
    parts:
      '頁 頁面 一頁 網頁 文章 指南 章節 章 節 小節 一節 教學 教程 文件 文檔 文字 內容 段落 段 表格 表 圖 圖片 範例 示例 例子 程式碼 代碼 程式碼範例 程式碼片段 片段 部分',
    places:
      '上面 上面的 上述 以上 下面 下面的 下述 以下 目前 目前的 當前 當前的 本 此 該 上文 前面的',
    larger: '網站 專案 函式庫 框架 工具 產品 套件',
    plain:
      '它 那 請 的 了 嗎 呢 吧 是 在 有 什麼 什麼意思 意思 怎麼 怎樣 如何 為什麼 為何 哪 哪裡 何時 解釋 解釋一下 一下 總結 總結一下 概括 概述 摘要 說明 描述 介紹 介紹了 講 講了 講的 說 說了 做 幹什麼 用 用來 作用 用途 工作 運作 執行 簡單 簡要 簡短 主要 重點 要點 關鍵 翻譯 中文 給 我 幫 幫我 能 能不能 可以 你 需要 具體 詳細 含義 目的 一個 幾句話 用法 使用 到底 關於 就是 裡 中 上 個 和',
  },
};
