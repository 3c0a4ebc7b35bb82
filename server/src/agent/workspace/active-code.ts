/**
 * Which JavaScript of a page only says something: literals, names, member chains, data of these, elements,
 * and imports of the repository's own files. Everything else may do anything.
 */
import { Parser, type Program } from 'acorn';
import jsx from 'acorn-jsx';
import { decodeAttribute } from '../../docs/markdown/html-tags.ts';

const parser = Parser.extend(jsx());

/** Names from which everything else can be reached. */
const reaching =
  /^(?:process|require|module|fetch|window|self|top|parent|document|globalThis|global|eval|Function|arguments)$/;
const reachingKey = /^(?:constructor|__proto__|prototype)$/;
const actingKey = /^(?:__proto__|constructor|prototype|dangerouslySetInnerHTML|innerHTML|srcDoc)$/i;
/** In MDX, a name with a capital letter is a component of the repository. */
const actingElement =
  /^(?:script|iframe|frame|object|embed|applet|base|portal|link|meta|form|Script|I[fF]rame|Embed)$/;
/** Without a loader that the page names. */
const ownSource = /^(?:\.{1,2}\/|@site\/|@theme\/|@\/|~\/|\/(?!\/))[^!?#]*$/;
/** Without an ending that it knows, a bundler takes a file for JavaScript. */
const knownFile =
  /(?:^|\/)[^./]*$|\.(?:[cm]?[jt]sx?|mdx?|json|ya?ml|css|s[ac]ss|less|vue|svelte|astro|svg|png|jpe?g|gif|webp|avif|ico|mp4|webm|woff2?)$/i;

/** Whether an expression does more than say something. What can't be parsed may do anything. */
export function isComputed(code: string): boolean {
  try {
    return !isPlain(expressionIn(code));
  } catch {
    return !isEmpty(code);
  }
}

/** The imports and exports that do something, each as written. */
export function activeStatementsIn(code: string): string[] {
  try {
    return parse(code)
      .body.filter((statement) => !isPlainStatement(statement as Tree))
      .map(({ start, end }) => code.slice(start, end));
  } catch {
    return [code];
  }
}

export function isActiveElement(name: string): boolean {
  return actingElement.test(name);
}

export function isActiveAttribute(name: string): boolean {
  return (
    /^on[a-z]{3,}$/i.test(name) ||
    /^(?:dangerouslySetInnerHTML|innerHTML|srcdoc|v-html)$/i.test(name)
  );
}

/** Whether a text is, or holds, an address that runs. */
export function isScripted(address: string): boolean {
  const plain = decodeAttribute(address).replace(/\s/g, '');
  return /^(?:java|vb)script:|^data:(?!image\/(?!svg)|font\/|audio\/|video\/)/i.test(plain);
}

/** Only comments. */
function isEmpty(code: string): boolean {
  try {
    return parse(code).body.length === 0;
  } catch {
    return false;
  }
}

function parse(code: string): Program {
  return parser.parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: false });
}

/** In parentheses, so that a brace starts an object. */
function expressionIn(code: string): Tree | undefined {
  const { body } = parse(`(${code}\n)`);
  const [statement] = body;
  return body.length === 1 && statement?.type === 'ExpressionStatement'
    ? (statement.expression as Tree)
    : undefined;
}

/** The fields that we use of a syntax tree with JSX. */
interface Tree {
  type: string;
  name?: string | Tree;
  value?: unknown;
  operator?: string;
  computed?: boolean;
  method?: boolean;
  kind?: string;
  object?: Tree;
  property?: Tree;
  argument?: Tree;
  expression?: Tree;
  key?: Tree;
  elements?: (Tree | null)[];
  properties?: Tree[];
  expressions?: Tree[];
  quasis?: { value: { cooked?: string | null } }[];
  openingElement?: Tree;
  attributes?: Tree[];
  children?: Tree[];
  source?: Tree | null;
  declaration?: Tree | null;
  declarations?: { id: Tree; init?: Tree | null }[];
}

function isPlainStatement(statement: Tree): boolean {
  const { type, source, declaration } = statement;
  if (type === 'EmptyStatement') return true;
  if (source) return isOwn(source.value);
  if (type === 'ExportDefaultDeclaration') return isPlain(declaration);
  if (type !== 'ExportNamedDeclaration') return false;
  if (!declaration) return true;
  return (
    declaration.type === 'VariableDeclaration' &&
    (declaration.declarations ?? []).every(
      ({ id, init }) => id.type === 'Identifier' && (!init || isPlain(init)),
    )
  );
}

function isOwn(source: unknown): boolean {
  return typeof source === 'string' && ownSource.test(source) && knownFile.test(source);
}

function isPlain(tree: Tree | null | undefined): boolean {
  switch (tree?.type) {
    case undefined:
      return false;
    case 'Literal':
      return typeof tree.value !== 'string' || !isScripted(tree.value);
    case 'TemplateLiteral':
      return tree.expressions?.length === 0 && !isScripted(tree.quasis?.[0]?.value.cooked ?? '');
    case 'Identifier':
      return !reaching.test(nameOf(tree)) && !reachingKey.test(nameOf(tree));
    case 'ChainExpression':
      return isPlain(tree.expression);
    case 'MemberExpression':
      return (
        (!tree.computed || tree.property?.type === 'Literal') &&
        !reachingKey.test(nameOf(tree.property)) &&
        isPlain(tree.object)
      );
    case 'UnaryExpression':
      return /^[-+!]$/.test(tree.operator ?? '') && isPlain(tree.argument);
    case 'ArrayExpression':
      return (tree.elements ?? []).every((one) => one === null || isPlain(one));
    case 'ObjectExpression':
      return (tree.properties ?? []).every(isPlainProperty);
    case 'JSXElement': {
      const { name, attributes = [] } = tree.openingElement ?? { type: '' };
      const isComponent = typeof name === 'object' && !isActiveElement(nameOf(name));
      return isComponent && attributes.every(isPlainAttribute) && areChildrenPlain(tree);
    }
    case 'JSXFragment':
      return areChildrenPlain(tree);
    case 'JSXExpressionContainer':
      return tree.expression?.type === 'JSXEmptyExpression' || isPlain(tree.expression);
    case 'JSXText':
      return true;
    default:
      return false;
  }
}

const areChildrenPlain = (tree: Tree): boolean => (tree.children ?? []).every(isPlain);

function isPlainProperty({ type, kind, computed, method, key, value }: Tree): boolean {
  return (
    type === 'Property' &&
    kind === 'init' &&
    !computed &&
    !method &&
    !actingKey.test(nameOf(key)) &&
    isPlain(value as Tree)
  );
}

function isPlainAttribute({ type, name, value }: Tree): boolean {
  if (type !== 'JSXAttribute' || isActiveAttribute(nameOf(name as Tree))) return false;
  return value === null || isPlain(value as Tree);
}

/** Of an identifier, a literal key, or a JSX name. */
function nameOf(tree: Tree | undefined): string {
  if (tree?.type === 'JSXMemberExpression') return nameOf(tree.property);
  if (tree?.type === 'JSXNamespacedName') return nameOf(tree.name as Tree);
  const name = tree?.name ?? tree?.value;
  return typeof name === 'string' ? name : '';
}
