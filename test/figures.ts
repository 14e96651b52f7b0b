// `npm run figures [folder]`: how large the project is and how its parts hang together, as a table.
// A folder measures another checkout, so an older one can be compared. Reads sources only; nothing
// is built or run.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const SMALL_LINES = 30;
const LARGE_LINES = 400;
const ROOMS = ['main', 'renderer', 'preload'];
const SKIPPED = new Set(['node_modules', '.output', 'out', 'dist']);

interface Source {
  /** From the root of the checkout, with slashes. */
  readonly path: string;
  readonly lines: number;
  /** The sources it imports, types and `import()` included. */
  readonly imports: readonly string[];
  readonly functions: readonly { readonly name: string; readonly lines: number }[];
  readonly deps: readonly { readonly name: string; readonly members: number }[];
}

const root = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));

/** Every file below a folder; none where there is no such folder. */
function filesBelow(folder: string): readonly string[] {
  const full = join(root, folder);
  if (!existsSync(full)) return [];
  return readdirSync(full, { withFileTypes: true })
    .filter(({ name }) => !SKIPPED.has(name))
    .flatMap((entry) =>
      entry.isDirectory() ? filesBelow(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`],
    )
    .toSorted();
}

const bytesOf = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + statSync(join(root, file)).size, 0);

/** Of a component only the scripts are code. */
function codeOf(path: string, text: string): string {
  if (!path.endsWith('.svelte')) return text;
  return [...text.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)]
    .map(([, code]) => code ?? '')
    .join('\n');
}

function readSource(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const file = ts.createSourceFile(path, codeOf(path, text), ts.ScriptTarget.Latest, true);
  const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line;
  const imports: string[] = [];
  const functions: { name: string; lines: number }[] = [];
  const deps: { name: string; members: number }[] = [];
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier?.startsWith('.'))
      imports.push(relative(root, resolve(root, dirname(path), specifier.replace(/\?.*$/, ''))));
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      functions.push({ name: nameOf(node), lines: lineOf(node.end) - lineOf(node.getStart()) + 1 });
    }
    if (ts.isInterfaceDeclaration(node) && node.name.text.endsWith('Deps')) {
      deps.push({ name: node.name.text, members: node.members.length });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return {
    path,
    lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
    imports,
    functions,
    deps,
  };
}

/** What an import or export declaration, `import()` or `import('...').Type` names. */
function specifierOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
    return textOf(node.moduleSpecifier);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return textOf(node.arguments[0]);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    return textOf(node.argument.literal);
  return undefined;
}

const textOf = (node: ts.Node | undefined): string | undefined =>
  node && ts.isStringLiteral(node) ? node.text : undefined;

function nameOf(node: ts.SignatureDeclaration): string {
  if (ts.isConstructorDeclaration(node)) return `${node.parent.name?.text ?? 'class'}.constructor`;
  if (node.name !== undefined) return node.name.getText();
  return ts.isVariableDeclaration(node.parent) || ts.isPropertyAssignment(node.parent)
    ? node.parent.name.getText()
    : '(no name)';
}

/** Groups of files that all reach each other by imports (Tarjan), the largest first. */
function circlesOf(sources: readonly Source[]): readonly (readonly string[])[] {
  const graph = new Map(sources.map(({ path, imports }) => [path, imports]));
  const index = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): number => {
    const mine = index.size;
    let least = mine;
    index.set(path, mine);
    open.push(path);
    for (const next of graph.get(path) ?? []) {
      if (!graph.has(next)) continue;
      if (!index.has(next)) least = Math.min(least, visit(next));
      else if (open.includes(next)) least = Math.min(least, index.get(next) ?? least);
    }
    if (least === mine) {
      const circle = open.splice(open.indexOf(path));
      if (circle.length > 1 || (graph.get(path) ?? []).includes(path))
        circles.push(circle.toSorted());
    }
    return least;
  };
  for (const { path } of sources) if (!index.has(path)) visit(path);
  return circles.toSorted((a, b) => b.length - a.length);
}

/** The names of files, those of one folder on a line. */
function byFolder(files: readonly string[]): readonly string[] {
  const folders = Map.groupBy(files, (file) => dirname(file));
  return [...folders].map(
    ([folder, inside]) =>
      `    ${folder}: ${inside.map((file) => file.slice(folder.length + 1)).join(', ')}`,
  );
}

const row = (name: string, files: readonly string[]): string =>
  `  ${name.padEnd(30)}${String(bytesOf(files)).padStart(10)} bytes ${String(files.length).padStart(5)} files`;

function serviceRooms(): readonly string[] {
  const inside = filesBelow('main/services');
  const rooms = Map.groupBy(inside, (file) =>
    file.split('/').length > 3 ? (file.split('/')[2] ?? '') : '(directly in it)',
  );
  return [...rooms]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([room, files]) => row(`  ${room}`, files));
}

/** The first n of the largest first. */
const largest = <Item>(
  items: readonly Item[],
  size: (item: Item) => number,
  n: number,
): readonly Item[] => items.toSorted((a, b) => size(b) - size(a)).slice(0, n);

function report(): readonly string[] {
  const sources = ROOMS.flatMap(filesBelow)
    .filter((path) => /\.(ts|svelte)$/.test(path))
    .map(readSource);
  const small = sources.filter(({ lines }) => lines < SMALL_LINES).map(({ path }) => path);
  const large = sources
    .filter(({ lines }) => lines > LARGE_LINES)
    .map(({ path, lines }) => `${path} (${lines})`);
  const circles = circlesOf(sources);
  const functions = sources.flatMap(({ path, functions: all }) =>
    all.map((each) => ({ ...each, path })),
  );
  const deps = sources.flatMap(({ path, deps: all }) => all.map((each) => ({ ...each, path })));
  return [
    'Size',
    row('main', filesBelow('main')),
    row('main/services', filesBelow('main/services')),
    ...serviceRooms(),
    ...['renderer', 'preload', 'test'].map((room) => row(room, filesBelow(room))),
    `Sources under ${SMALL_LINES} lines: ${small.length}`,
    ...byFolder(small),
    `Sources above ${LARGE_LINES} lines: ${large.length}`,
    ...byFolder(large),
    `Circles of imports, types counted: ${circles.length}`,
    ...circles.flatMap((circle) => [`  ${circle.length} files`, ...byFolder(circle)]),
    'Longest functions',
    ...largest(functions, ({ lines }) => lines, 5).map(
      ({ path, name, lines }) => `  ${lines} lines: ${name} in ${path}`,
    ),
    'Largest Deps',
    ...largest(deps, ({ members }) => members, 3).map(
      ({ path, name, members }) => `  ${members} members: ${name} in ${path}`,
    ),
  ];
}

process.stdout.write(`${report().join('\n')}\n`);
