// Writes what a release is made of, as CycloneDX: the packages that are installed or bundled, by the
// lock file, and the libraries inside the native ones, by what stands in their binaries. Fails where
// one of those has a version that nobody looked into. `node resources/packaging/sbom.ts FILE`, built.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** What a stranger's bytes reach first, each in the version whose known faults were weighed. */
export const LOOKED_INTO: Readonly<Record<string, string>> = {
  // Faults are known of it: that is why QUIC has a process of its own. See security.md.
  quiche: '0.18.0',
  boring: '3.1.0',
  sqlite: '3.54.1',
};
const NATIVE_PACKAGES = /^(?:@matrixai\/quic-|@napi-rs\/keyring-)/;
/** Where a library of Rust was compiled, as its messages have it. */
const CRATE = /([a-z][\w-]*)-(\d+\.\d+\.\d+)[/\\]src[/\\]/g;
const SQLITE = /(?<![\d.])3\.\d{2}\.\d{1,2}(?![\d.])/g;
/** As the licences of the bundles begin each of theirs. */
const BUNDLED = /^## (\S+) - (\S+) \(/gm;

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

/** The native binaries that run on this system, from node_modules on. */
export function nativeFiles(): readonly string[] {
  const below = (folder: string): readonly string[] =>
    readdirSync(join(ROOT, 'node_modules', folder)).map((name) => `${folder}/${name}`);
  const files = ['@matrixai', '@napi-rs']
    .flatMap(below)
    .filter((name) => NATIVE_PACKAGES.test(name))
    .flatMap(below);
  const sqlite = `better-sqlite3/prebuilds/${process.platform}-${process.arch}.node`;
  return [...files.filter((file) => file.endsWith('.node')), sqlite];
}

/** The libraries inside a binary, each as "name@1.2.3". */
export function librariesIn(file: string): ReadonlySet<string> {
  const text = readFileSync(join(ROOT, 'node_modules', file), 'latin1');
  const crates = [...text.matchAll(CRATE)].map(([, name, version]) => `${name}@${version}`);
  const sqlite = file.startsWith('better-sqlite3/') ? [...text.matchAll(SQLITE)] : [];
  return new Set([...crates, ...sqlite.map(([version]) => `sqlite@${version}`)]);
}

/** What LOOKED_INTO has in another version, or what none of the binaries holds. */
export function unknownVersions(found: ReadonlySet<string>): readonly string[] {
  return Object.entries(LOOKED_INTO).flatMap(([name, version]) => {
    const here = [...found].filter((one) => one.startsWith(`${name}@`));
    if (here.length === 0) return [`${name}, which no binary names`];
    return here.filter((one) => one !== `${name}@${version}`);
  });
}

/** Of the lock file: what is installed with the hub, Electron, and what else the bundles hold. */
function packages(): { readonly components: readonly Component[] } & Record<string, unknown> {
  const { stdout, status, stderr } = spawnSync(
    'npm',
    ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'],
    { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e8, shell: process.platform === 'win32' },
  );
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  const list = JSON.parse(stdout) as { readonly components: readonly Component[] };
  const bundled = new Set(
    ['main', 'renderer'].flatMap((part) =>
      [...readFileSync(join(ROOT, 'out', part, 'licences.txt'), 'utf8').matchAll(BUNDLED)].map(
        ([, name = '', version = '']) => `${name}@${version}`,
      ),
    ),
  );
  const isShipped = ({ name, version, properties = [] }: Component): boolean =>
    !properties.some((one) => one.name === 'cdx:npm:package:development') ||
    name === 'electron' ||
    bundled.has(`${name}@${version}`);
  return { ...list, components: list.components.filter(isShipped), dependencies: undefined };
}

if (import.meta.main) {
  const [file = 'axon-hub.cdx.json'] = process.argv.slice(2);
  const found = new Set(nativeFiles().flatMap((native) => [...librariesIn(native)]));
  const list = packages();
  const libraries = [...found].map((one) => {
    const [name = '', version = ''] = one.split('@');
    const purl = `pkg:${name === 'sqlite' ? 'generic' : 'cargo'}/${one}`;
    return { 'bom-ref': `native:${one}`, type: 'library', name, version, purl };
  });
  const components = [...list.components, ...libraries];
  writeFileSync(file, `${JSON.stringify({ ...list, components }, null, 2)}\n`);
  process.stdout.write(`${file}: ${components.length} components\n`);
  const unknown = unknownVersions(found);
  for (const line of unknown) process.stderr.write(`Nobody looked into ${line}.\n`);
  if (unknown.length > 0) process.exitCode = 1;
}
