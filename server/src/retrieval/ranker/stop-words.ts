/**
 * Stop words, which are removed from questions. They stay in the index, because they can be names
 * ("Which", "Do").
 */
const asked = `a about all also am an and any anybody anyone are as at be because been being but by can cannot can't could did do
 does doesn't doing don't explain for from further get getting give had has have having he hello help her here hey hi him his how
 however i if in into is isn't it its itself just know let like me might mine most must my need needs no nor of off on
 or our ours out over own please she should show so some such tell than thank thanks that the their them then there these they
 thing things this those through to too under until up us very want wanted wants was way ways we were what when where whether which while
 who whom whose why will with within would you your yours`;

/** Words with little meaning, which count half. */
const weak = `able actually add available best between change correct create current currently different difference do example examples find first
 good happen happens issue make many mean means more much multiple new one only order possible problem purpose run running same see
 set simple specific specify start still support supported sure take try trying understand use used uses user using via work working works`;

export const stopWords: ReadonlySet<string> = new Set(words(asked));
export const weakWords: ReadonlySet<string> = new Set(words(weak));

function words(text: string): string[] {
  return text
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => word.replaceAll("'", ''));
}

/**
 * Stop words of other languages, in lower case and without accents, as `analysis.ts` produces them. A
 * question is in one of these languages if more of its words are in that list than in the English one.
 * English questions with words such as "die" or "was" are therefore safe.
 */
const lists = {
  de: `aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bitte bist da dadurch dafur damit danach
 dann darf darin das dass dazu dein deine dem den denn der des deshalb die dies diese diesem diesen dieser dieses doch dort du durch durfen ein eine einem einen
 einer eines einmal er es etwas euch fur gegen geht gibt hab habe haben hat hatte hier ich ihm ihn ihnen ihr ihre im in ist ja jede jeden jeder jedes jetzt kann
 kannst kein keine konnen konnte lassen lasst man mein meine meinem meinen meiner mich mir mit mochte muss mussen nach nicht nichts noch nun nur ob oder ohne sehr
 sein seine seinen sich sie sind so soll sollen sollte sondern tun uber um und uns unser unsere unter viel viele vom von vor wann war waren warum was
 weil welche welchem welchen welcher welches wenn wer werde werden wie wieder wieviel will wir wird wirst wo wofur woher wohin womit wurde wurden zu zum zur zwischen`,
  fr: `a ai alors as au aucun aussi autre aux avant avec avez avoir bien c ca ce cela ces cet cette ceux chez ci combien comme comment d dans de des dois
 doit donc dont du elle elles en encore entre est et etes etre eu fait faire faut ils il j je l la laquelle le lequel les leur leurs lors lui m ma mais me
 meme mes moi mon n ne ni nos notre nous on ont ou par parce pas pendant peu peut peux plus pour pourquoi pouvez puis qu quand que quel quelle quelles
 quels qui quoi s sa sans se ses si son sont sous sur t ta te tes toi ton tous tout toute toutes tres tu un une va veux voir vos votre vous y`,
  es: `a al algo algun alguna ante antes aqui asi aun como con cual cuales cuando cuanto cuantos de debe debo del desde donde dos e el ella ellas ellos en
 entre era es esa ese eso esta estan estas este esto estos fue ha hace hacer hacia han hasta hay la las le les lo los mas me mi mis mucho muy ni no nos o otra otro
 para pero poder podemos por porque pueda puede pueden puedo que quien quiero se sea ser si sin sino sobre solo son su sus tal tambien te tener tengo tiene todo
 todos tu tus un una unas uno unos y ya yo`,
  it: `a ad agli ai al alla alle anche ancora avere c che chi ci cio come con cosa cui d da dal dalla degli dei del dell della delle devo di dove due e ed
 era essere fare fra gli ha hai hanno ho i il in io l la le lei li lo loro lui ma mi mia mio molto ne nei nel nella no noi non nostro o ogni ora per perche piu
 poi posso prima puo qual quale quali quando quanto quella quelle quelli quello questa queste questi questo se sei senza si sia solo sono su sua sul sulla suo
 tra tu tutti tutto un una uno vi voi voglio`,
  pt: `a ao aos aquela aquele as ate com como da das de dela dele depois do dos e ela elas ele eles em entre era essa esse esta estao estar este eu foi
 ha isso isto ja la lhe mais mas me mesmo meu meus minha muito na nao nas nem no nos o onde os ou para pela pelo pode podem por porque posso qual quais quando
 quanto que quem quero se sem ser seu seus sao so sua suas tambem te tem tenho ter teu um uma umas uns voce voces`,
  nl: `aan al alle als altijd andere ben bij daar dan dat de deze die dit doe doen door dus een en er ge geen haar had heb hebben heeft hem het hier hij
 hoe hoeveel hun iemand iets ik in is ja je jij kan kun kunnen maar me meer men met mij mijn moet moeten na naar niet niets nog nu of om omdat ons onze ook op
 over te toch toen tot uit uw van veel voor waar waarom wanneer wat we welk welke wel werd wie wij wil worden wordt zal ze zich zij zijn zo zonder zou`,
} as const;

const byLanguage: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['en', stopWords],
  ...Object.entries(lists).map(([code, list]) => [code, new Set(list.split(/\s+/))] as const),
]);
/** The languages whose lists have a word. */
const languagesWith = Map.groupBy(
  [...byLanguage].flatMap(([code, list]) => [...list].map((word) => ({ code, word }))),
  ({ word }) => word,
);
const minWords = 2;

/** The stop words of a language; none for languages without a list. */
export function stopWordsOf(language: string): ReadonlySet<string> {
  return byLanguage.get(language) ?? new Set();
}

/** The list that knows most of the words, if it's not the English one, and more than one word of it. */
function foreignList(words: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const word of words)
    for (const { code } of languagesWith.get(word) ?? [])
      counts.set(code, (counts.get(code) ?? 0) + 1);
  let best: string | undefined;
  let most = Math.max(counts.get('en') ?? 0, minWords - 1);
  for (const code of byLanguage.keys()) {
    const hits = counts.get(code) ?? 0;
    if (hits > most) [best, most] = [code, hits];
  }
  return best;
}

/** The stop words of the question's language; none for English. */
export function foreignStopWords(words: readonly string[]): ReadonlySet<string> {
  return stopWordsOf(foreignList(words) ?? '');
}

/** The language of a question, such as `fr`, if its stop words tell it. */
export function languageOf(words: readonly string[]): string | undefined {
  return foreignList(words) ?? (words.some((word) => stopWords.has(word)) ? 'en' : undefined);
}
