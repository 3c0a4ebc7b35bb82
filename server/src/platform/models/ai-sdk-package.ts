/** Loads a model of any AI SDK provider from the package that the configuration names. */
import { pathToFileURL } from 'node:url';
import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import { ConfigError } from '../config/load.ts';
import type { ModelConfig } from '../config/model-config.ts';
import { findPackage, notInstalled } from '../config/provider-package.ts';
import { importSdk } from './sdk.ts';

type Settings = Extract<ModelConfig, { provider: 'ai-sdk' }>;

/** In all AI SDK versions, a provider is a function, an object, or both. */
type Provider = Partial<Record<'languageModel' | 'chatModel' | 'chat', MakeModel>> &
  Partial<MakeModel>;
type MakeModel = (id: string) => unknown;
type Create = (options: object) => Provider;

export async function loadModel(
  name: string,
  settings: Settings,
  key: { apiKey?: string },
): Promise<LanguageModelV4> {
  const mistake = (words: string) => new ConfigError('The configuration', [words]);
  const at = `models.${name}`;
  const file = findPackage(settings.package, settings.folder);
  if (file === undefined) throw mistake(notInstalled(name, settings));

  const module = await importFile(file).catch((cause: unknown) => {
    throw mistake(
      `${at}.package "${settings.package}" cannot be loaded: ${(cause as Error).message}`,
    );
  });
  const create = chooseCreate(module, settings, (words) => mistake(`${at}.${words}`));
  let model: unknown;
  try {
    const provider = create({ ...settings.options, ...key });
    const make = provider.languageModel ?? provider.chatModel ?? provider.chat ?? provider;
    model = (make as MakeModel).call(provider, settings.model);
  } catch (cause) {
    // The error's message may repeat the options and with them the key.
    const { name: kind } = cause as Error;
    throw mistake(
      `${at} "${settings.package}" does not take these options (${kind}); compare them with its documentation`,
    );
  }
  if (isLanguageModel(model)) return toNewest(model);
  throw mistake(
    `${at}.package "${settings.package}" makes no language models of the AI SDK; write a provider of AI SDK 5 or newer`,
  );
}

async function importFile(file: string): Promise<Record<string, unknown>> {
  const module = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Record<
    string,
    unknown
  >;
  // Some names of a CommonJS package may exist only on its default export.
  const inner = module['default'];
  return typeof inner === 'object' && inner !== null ? { ...inner, ...module } : module;
}

function chooseCreate(
  module: Record<string, unknown>,
  { package: wanted, create }: Settings,
  mistake: (words: string) => ConfigError,
): Create {
  const named = Object.entries(module).filter(
    ([key, value]) => /^create[A-Z]/.test(key) && typeof value === 'function',
  );
  const names = named.map(([key]) => key).join(', ') || 'none';
  // Packages keep old names for the same function.
  const [chosen, second] =
    create === undefined ? new Set(named.map(([, value]) => value)) : [module[create]];
  if (typeof chosen === 'function' && second === undefined) return chosen as Create;
  if (create !== undefined)
    throw mistake(`create "${create}" is no function of "${wanted}" (it has: ${names})`);
  throw mistake(
    second === undefined
      ? `package "${wanted}" has no function that makes a provider; write a package of an AI SDK provider, such as "@ai-sdk/google"`
      : `package "${wanted}" has several functions that make a provider; write one as "create" (${names})`,
  );
}

function isLanguageModel(
  value: unknown,
): value is LanguageModelV4 | LanguageModelV3 | LanguageModelV2 {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const { specificationVersion: version, doStream } = value as Partial<LanguageModelV4>;
  return ['v2', 'v3', 'v4'].includes(version ?? '') && typeof doStream === 'function';
}

/** Converts models of AI SDK 5 and 6, which have older interfaces. */
async function toNewest(
  model: LanguageModelV4 | LanguageModelV3 | LanguageModelV2,
): Promise<LanguageModelV4> {
  if (model.specificationVersion === 'v4') return model;
  const { wrapLanguageModel } = await importSdk();
  return wrapLanguageModel({ model, middleware: [] });
}
