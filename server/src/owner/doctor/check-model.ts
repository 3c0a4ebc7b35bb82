/** Asks a site's models one short question each. */
import { APICallError } from '@ai-sdk/provider';
import type { BaseServices } from '../../open-services.ts';
import { DocentError } from '../../platform/errors.ts';
import { createModels, isExtractive, type NamedModel } from '../../platform/models/model.ts';
import { providerMessage } from '../../platform/models/provider-error.ts';
import { readModel } from '../../platform/models/read-model.ts';
import { createExtractiveModel } from '../../reader/extractive/extractive-model.ts';
import { type Finding, fine, messageOf, note, problem } from './finding.ts';

type ModelDeps = Pick<BaseServices, 'config' | 'environment' | 'log'>;

export async function checkModels(
  { config, environment, log }: ModelDeps,
  isAsked: boolean,
): Promise<Finding[]> {
  const models = await createModels(config, environment, createExtractiveModel());
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const site of config.sites) {
    for (const named of models.forSite(site)) {
      if (isExtractive(named.model) || named.name === undefined) {
        findings.push(note(`${site.domain} has no model, so its answers are quotations.`));
      } else if (!isAsked) {
        findings.push(
          note(`${site.domain}: to ask the model "${named.name}" a question, add --model.`),
        );
      } else if (!seen.has(named.name)) {
        seen.add(named.name);
        // oxlint-disable-next-line no-await-in-loop -- a provider may limit questions at once
        findings.push(await ask(named, named.name, { config, environment, log }));
      }
    }
  }
  return findings;
}

/** Asks one model of the configuration. */
export async function checkModel(services: ModelDeps, name: string): Promise<Finding> {
  const { config, environment } = services;
  const models = await createModels(config, environment, createExtractiveModel());
  const named = await models.named(name);
  if (!named) throw new DocentError('not_found', `The configuration has no model "${name}".`);
  return ask(named, name, services);
}

async function ask(
  named: NamedModel,
  name: string,
  { config, environment, log }: ModelDeps,
): Promise<Finding> {
  const settings = config.models[name];
  const variable = settings?.apiKeyEnv;
  const started = performance.now();
  try {
    const prompt = [
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'Reply with: OK' }] },
    ];
    for await (const event of readModel([named], { prompt }, { log, attempts: 1 })) {
      if (event.type === 'text') break;
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    return fine(`The model "${name}" answered after ${seconds} s.`);
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const status = APICallError.isInstance(cause) ? cause.statusCode : undefined;
    const key = variable === undefined ? undefined : environment.secret(variable);
    const body = APICallError.isInstance(cause) ? cause.responseBody : undefined;
    const said = (providerMessage(body) ?? messageOf(cause)).replaceAll(key ?? '\0', '…');
    return problem(
      `The model "${name}" ${status === undefined ? "didn't answer" : `answered ${status}`}: ${said}`,
      adviceFor(status, name, variable),
    );
  }
}

function adviceFor(status: number | undefined, name: string, variable: string | undefined): string {
  if (status === 401 || status === 403) {
    return variable === undefined
      ? `Name the variable with the provider's key in models.${name}.apiKeyEnv.`
      : `Check the value of ${variable}.`;
  }
  if (status === 402 || status === 429) return 'Check the credit and the limits of your account.';
  if (status === 404) return `Check the name and the address in models.${name}.`;
  if (status === undefined) return `Check the address in models.${name}, and that its server runs.`;
  return 'Try again later, or name another model.';
}
