/** A tool call that a model wrote as text. No part of the service asks models for any. */

const names = ['name', 'tool', 'tool_name', 'function', 'recipient_name', 'action'];
const inputs = ['arguments', 'parameters', 'args', 'input', 'action_input', 'tool_input'];
const alone = ['tool_calls', 'tool_call', 'function_call', 'tool_uses', 'recipient_name'];

/** The same, where the JSON is cut or wrong. */
const looksLike =
  /"(?:tool_calls?|function_call|tool_uses|recipient_name)"\s*:|"(?:name|tool|tool_name|function|action)"\s*:\s*"[^"]{0,200}"\s*,\s*"(?:arguments|parameters|args|input|action_input|tool_input)"\s*:/;

/** The longest text that is held back to see whether it is a tool call. */
export const longestToolCall = 6_000;

export function isToolCall(text: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return looksLike.test(text);
  }
  return (Array.isArray(value) ? value : [value]).some(isCall);
}

function isCall(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const has = (key: string) => Object.hasOwn(value, key);
  if (alone.some(has)) return true;
  if ('function' in value && isCall(value.function)) return true;
  const kind = 'type' in value ? value.type : undefined;
  if (kind === 'tool_use' || kind === 'tool_call' || kind === 'function_call') return true;
  return names.some((key) => has(key)) && inputs.some(has);
}

/** The tool's name as JSON writes it, to look for in the documentation. */
export function toolNameOf(text: string): string | undefined {
  return /"(?:name|tool|tool_name|recipient_name|action)"\s*:\s*("[^"]{1,200}")/.exec(text)?.[1];
}

/** Where the object or list that begins a text ends; `undefined` where it does not. */
export function jsonEnd(text: string): number | undefined {
  let depth = 0;
  let isString = false;
  for (let index = 0; index < text.length; index++) {
    const sign = text[index];
    if (isString) {
      if (sign === '\\') index++;
      else if (sign === '"') isString = false;
    } else if (sign === '"') isString = true;
    else if (sign === '{' || sign === '[') depth++;
    else if (sign === '}' || sign === ']') {
      depth--;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}
