/** `{` and `[` outside code that could begin a tool call. */
import { leaveOut, type Outcome, rest, type Scan, write } from './scan.ts';
import { isToolCall, jsonEnd, longestToolCall } from './tool-call.ts';

export function readJson(scan: Scan): Outcome {
  if (scan.at < scan.plainUntil || scan.isInline) return 'no';
  const text = rest(scan, longestToolCall);
  if (!/^\[?\s{0,20}\{\s{0,20}"/.test(text)) {
    const mayBecome = !scan.isFinal && /^\[?\s{0,20}(?:\{\s{0,20})?$/.test(text);
    return mayBecome ? 'wait' : 'no';
  }
  const end = jsonEnd(text);
  if (end === undefined && !scan.isFinal && text.length < longestToolCall) return 'wait';
  const json = text.slice(0, end);
  if (!isToolCall(json)) {
    scan.plainUntil = scan.at + json.length;
    return 'no';
  }
  leaveOut(scan, json.length);
  return 'done';
}

/** A brace is only a brace. */
export function readBrace(scan: Scan): Outcome {
  const outcome = readJson(scan);
  if (outcome !== 'no') return outcome;
  write(scan, '{');
  scan.at++;
  return 'done';
}
