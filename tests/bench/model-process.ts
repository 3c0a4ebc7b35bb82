/** The scripted model as a process of its own, so that it takes no time from the one that measures. */
import { startScriptedModel } from '../support/scripted-model.ts';

const model = await startScriptedModel(['Kestrel', ' is installed', ' with one command. [1]']);
// Nothing is kept of what was asked: the run is long.
setInterval(() => model.requests.splice(0), 1_000).unref();
console.log(model.url);
process.once('SIGTERM', () => void model.close().then(() => process.exit(0)));
