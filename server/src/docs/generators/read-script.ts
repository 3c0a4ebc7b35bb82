/** The settings in a JavaScript or TypeScript file, from its syntax tree. Nothing of it runs. */
import { tsPlugin } from '@sveltejs/acorn-typescript';
import { type AnyNode, type Expression, Parser, type Program, type SpreadElement } from 'acorn';
import { isCall, isObject, isUnknown, type Unknown, type Value } from './script-values.ts';

export interface ScriptValues {
  /** The default export, or `module.exports`. */
  exported: Value;
  /** Constants by their names, and what is assigned to properties, such as `window.$docsify = { … }`. */
  named: Record<string, Value>;
  /** What it imports: by the local name, the module and the name there, `*` for all of it. */
  imports: Record<string, { from: string; name: string }>;
}

/** More is data, and not settings. */
const maxSteps = 20_000;

const TypeScript = Parser.extend(tsPlugin({ jsx: { allowNamespacedObjects: true } }));

/** `undefined`: it can't be parsed. */
export function readScript(
  text: string,
  imported: Readonly<Record<string, Value>> = {},
): ScriptValues | undefined {
  try {
    const program = TypeScript.parse(text, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      locations: true,
      allowHashBang: true,
      allowReturnOutsideFunction: true,
    });
    return valuesOf(program, imported);
  } catch {
    return undefined;
  }
}

type Scope = ReadonlyMap<string, AnyNode | undefined>;

/** `imported` has the values of imports, if they're known. */
export function valuesOf(
  program: Program,
  imported: Readonly<Record<string, Value>> = {},
): ScriptValues {
  let steps = 0;
  const known = new Map<AnyNode, Value>();
  const top = declarations(program.body as AnyNode[], new Map());
  const result: ScriptValues = { exported: undefined, named: {}, imports: {} };
  for (const node of program.body as AnyNode[]) {
    if (node.type === 'ExportDefaultDeclaration') {
      result.exported = valueOf(node.declaration as AnyNode, top);
    } else if (node.type === 'ExportNamedDeclaration') {
      const own = node.specifiers.find((one) => nameOf(one.exported as AnyNode) === 'default');
      if (own) result.exported = valueOf(own.local as AnyNode, top);
    } else if (node.type === 'ExpressionStatement') assign(node.expression);
    else if (node.type === 'ImportDeclaration') {
      const from = String(node.source.value);
      for (const one of node.specifiers) {
        const name =
          one.type === 'ImportSpecifier'
            ? nameOf(one.imported as AnyNode)
            : one.type === 'ImportDefaultSpecifier'
              ? 'default'
              : '*';
        result.imports[one.local.name] = { from, name };
      }
    }
  }
  for (const [name, node] of top) if (node) result.named[name] ??= named(name, node, top);
  return result;

  function assign(node: Expression): void {
    if (node.type !== 'AssignmentExpression' || node.left.type !== 'MemberExpression') return;
    const { object, property } = node.left;
    const name = nameOf(property as AnyNode);
    const value = valueOf(node.right, top);
    if (nameOf(object as AnyNode) === 'module' && name === 'exports') result.exported = value;
    else result.named[name] = value;
  }

  function valueOf(node: AnyNode | null | undefined, scope: Scope): Value {
    if (!node) return undefined;
    steps += 1;
    if (steps > maxSteps) return unknown(node);
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- every other kind of node is unknown
    switch (node.type) {
      case 'Literal':
        return typeof node.value === 'object' && node.value !== null
          ? unknown(node)
          : (node.value as Value);
      case 'TemplateLiteral':
        return template(node, scope);
      case 'ObjectExpression':
        return objectOf(node, scope);
      case 'ArrayExpression':
        return node.elements.flatMap((one) => listed(one, scope));
      case 'Identifier':
        return node.name === 'undefined' ? undefined : named(node.name, node, scope);
      case 'MemberExpression':
        return memberOf(node, scope);
      case 'ChainExpression':
      case 'ParenthesizedExpression':
      case 'AwaitExpression':
        return valueOf(
          'argument' in node ? (node.argument as AnyNode) : (node.expression as AnyNode),
          scope,
        );
      case 'LogicalExpression':
        return logical(node, scope);
      case 'ConditionalExpression': {
        const test = valueOf(node.test, scope);
        if (isUnknown(test)) return unknown(node);
        return valueOf(test ? node.consequent : node.alternate, scope);
      }
      case 'UnaryExpression': {
        const value = valueOf(node.argument, scope);
        if (isUnknown(value)) return value;
        if (node.operator === '!') return !value;
        return node.operator === '-' && typeof value === 'number' ? -value : unknown(node);
      }
      case 'BinaryExpression':
        return binary(node, scope);
      case 'CallExpression':
      case 'NewExpression':
        return callOf(node, scope);
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        return returned(node, scope);
      default:
        return 'expression' in node && (node.type as string).startsWith('TS')
          ? valueOf((node as { expression: AnyNode }).expression, scope)
          : unknown(node);
    }
  }

  function returned(node: { body: unknown }, scope: Scope): Value {
    const body = node.body as AnyNode;
    if (body.type !== 'BlockStatement') return valueOf(body, scope);
    const last = body.body.at(-1);
    if (last?.type !== 'ReturnStatement') return unknown(body);
    return valueOf(last.argument, declarations(body.body as AnyNode[], scope));
  }

  function named(name: string, node: AnyNode, scope: Scope): Value {
    const declared = scope.get(name);
    if (!declared) return imported[name] ?? unknown(node);
    if (!known.has(declared)) {
      // A constant that refers to itself.
      known.set(declared, unknown(declared));
      known.set(declared, valueOf(declared, scope));
    }
    return known.get(declared);
  }

  function listed(node: Expression | SpreadElement | null, scope: Scope): Value[] {
    if (node?.type !== 'SpreadElement') return [valueOf(node, scope)];
    const value = valueOf(node.argument, scope);
    return Array.isArray(value) ? value : [unknown(node)];
  }

  function objectOf(node: AnyNode & { type: 'ObjectExpression' }, scope: Scope): Value {
    const found: Record<string, Value> = {};
    for (const one of node.properties) {
      if (one.type === 'SpreadElement') {
        const value = valueOf(one.argument, scope);
        if (isObject(value)) Object.assign(found, value);
        continue;
      }
      const key = one.computed ? valueOf(one.key, scope) : nameOf(one.key as AnyNode);
      if (typeof key === 'string' && key !== '__proto__') found[key] = valueOf(one.value, scope);
    }
    return found;
  }

  function memberOf(node: AnyNode & { type: 'MemberExpression' }, scope: Scope): Value {
    // A build without variables of the environment.
    if (/^(process|import\.meta)\.env$/.test(pathOf(node.object as AnyNode))) return undefined;
    const object = valueOf(node.object as AnyNode, scope);
    const key = node.computed
      ? valueOf(node.property as AnyNode, scope)
      : nameOf(node.property as AnyNode);
    if (node.optional && (object === undefined || object === null)) return undefined;
    if (Array.isArray(object) && typeof key === 'number') return object[key];
    if (isObject(object) && !isUnknown(object) && !isCall(object) && typeof key === 'string') {
      return Object.hasOwn(object, key) ? object[key] : undefined;
    }
    return unknown(node);
  }

  function logical(node: AnyNode & { type: 'LogicalExpression' }, scope: Scope): Value {
    const left = valueOf(node.left, scope);
    if (isUnknown(left)) {
      // What holds where nothing is set.
      const right = node.operator === '&&' ? undefined : valueOf(node.right, scope);
      return typeof right === 'string' ? { ...left, text: right } : left;
    }
    const isLeft =
      node.operator === '??'
        ? left !== undefined && left !== null
        : node.operator === '||'
          ? Boolean(left)
          : !left;
    return isLeft ? left : valueOf(node.right, scope);
  }

  function binary(node: AnyNode & { type: 'BinaryExpression' }, scope: Scope): Value {
    const [left, right] = [valueOf(node.left as AnyNode, scope), valueOf(node.right, scope)];
    if (isUnknown(left) || isUnknown(right)) return unknown(node);
    if (node.operator === '+' && typeof left === 'string' && typeof right === 'string') {
      return left + right;
    }
    if (/^===?$/.test(node.operator)) return left === right;
    return /^!==?$/.test(node.operator) ? left !== right : unknown(node);
  }

  function template(node: AnyNode & { type: 'TemplateLiteral' }, scope: Scope): Value {
    const parts = node.quasis.map(({ value }) => value.cooked ?? '');
    const values = node.expressions.map((one) => valueOf(one, scope));
    const text = parts.map((part, at) => {
      const value = values[at];
      return part + (typeof value === 'string' || typeof value === 'number' ? value : '');
    });
    return values.every((one) => typeof one === 'string' || typeof one === 'number')
      ? text.join('')
      : { ...unknown(node), text: text.join('') };
  }

  function callOf(
    node: AnyNode & { type: 'CallExpression' | 'NewExpression' },
    scope: Scope,
  ): Value {
    const callee = node.callee as AnyNode;
    const args = node.arguments.flatMap((one) => listed(one as Expression, scope));
    if (callee.type === 'MemberExpression' && nameOf(callee.property as AnyNode) === 'filter') {
      const list = valueOf(callee.object as AnyNode, scope);
      return Array.isArray(list) ? list.filter((one) => isUnknown(one) || Boolean(one)) : list;
    }
    // A function that is called where it's written.
    if (/Function/.test(callee.type)) return returned(callee as never, scope);
    if (callee.type !== 'CallExpression') return { $call: nameOf(callee), args };
    // `nextra({ … })(config)`.
    const inner = callOf(callee, scope);
    return isCall(inner) ? { ...inner, args: [...args, ...inner.args] } : inner;
  }
}

/** The constants of a block, and those around it. */
function declarations(body: readonly AnyNode[], around: Scope): Scope {
  const found = new Map(around);
  for (const statement of body) {
    const node =
      statement.type === 'ExportNamedDeclaration'
        ? (statement.declaration as AnyNode | null)
        : statement;
    if (node?.type === 'FunctionDeclaration') found.set(node.id?.name ?? '', node);
    if (node?.type !== 'VariableDeclaration') continue;
    for (const { id, init } of node.declarations) {
      // What is assigned again later isn't a constant.
      if (id.type === 'Identifier')
        found.set(id.name, node.kind === 'const' ? (init ?? undefined) : undefined);
    }
  }
  return found;
}

const unknown = (node: AnyNode): Unknown => ({ $unknown: node.loc?.start.line ?? 0 });

function nameOf(node: AnyNode): string {
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return node.name;
  if (node.type === 'Literal') return String(node.value);
  return node.type === 'MemberExpression' ? nameOf(node.property as AnyNode) : '';
}

function pathOf(node: AnyNode): string {
  if (node.type === 'MetaProperty') return 'import.meta';
  if (node.type !== 'MemberExpression') return nameOf(node);
  return `${pathOf(node.object as AnyNode)}.${nameOf(node.property as AnyNode)}`;
}
