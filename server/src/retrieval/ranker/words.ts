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
