// Maps a method and raw path to an operation of the table, and query and body to its parameters.
// Paths are compared as they were sent. Nothing is normalised, so a dot segment or an encoded slash
// matches nothing.
import type * as v from 'valibot';
import { OPERATIONS } from '../../../preload/contract/operations.ts';
import type { Access, OperationName } from '../../../preload/contract/operations.ts';
import { AppError } from '../../lib/app-error.ts';
import { isOperationName } from '../dispatch.ts';

export interface RouteMatch {
  readonly name: OperationName;
  readonly access: Access;
  readonly pathParams: Readonly<Record<string, string>>;
}

interface Route {
  readonly name: OperationName;
  readonly method: string;
  readonly segments: readonly string[];
}

/** What a value of the query means, by the type its field has in the schema. */
type FieldType = 'number' | 'boolean' | 'text';

export class Router {
  /** By method and number of segments; more literal routes first. */
  readonly #routes: ReadonlyMap<string, readonly Route[]>;
  readonly #queryTypes: ReadonlyMap<OperationName, ReadonlyMap<string, FieldType>>;

  constructor() {
    const routes = new Map<string, Route[]>();
    for (const name of Object.keys(OPERATIONS).filter(isOperationName)) {
      const { method, path } = OPERATIONS[name];
      const segments = path.slice(1).split('/');
      const key = `${method} ${segments.length}`;
      routes.set(key, [...(routes.get(key) ?? []), { name, method, segments }]);
    }
    for (const list of routes.values()) list.sort((a, b) => placeholders(a) - placeholders(b));
    this.#routes = routes;
    this.#queryTypes = new Map(
      [...routes.values()]
        .flat()
        .map(({ name }) => [name, new Map(Object.entries(fieldsOf(OPERATIONS[name].params)))]),
    );
  }

  /** The operation at this method and path, or undefined. */
  match(method: string, path: string): RouteMatch | undefined {
    const given = path.slice(1).split('/');
    for (const route of this.#routes.get(`${method} ${given.length}`) ?? []) {
      const pathParams = paramsOf(route.segments, given);
      if (pathParams !== undefined)
        return { name: route.name, access: OPERATIONS[route.name].access, pathParams };
    }
    return undefined;
  }

  /** The methods that exist at this path, for a 405. */
  methodsOf(path: string): readonly string[] {
    return ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
      (method) => this.match(method, path) !== undefined,
    );
  }

  /**
   * Query fields as the values that the schema asks for. Throws `bad_request` when a field stands
   * twice.
   */
  readQuery(name: OperationName, query: string): Readonly<Record<string, unknown>> {
    const types = this.#queryTypes.get(name);
    const fields = new Map<string, unknown>();
    for (const [key, value] of new URLSearchParams(query)) {
      if (fields.has(key))
        throw new AppError('bad_request', 'A query field stands twice.', { failedBy: 'input' });
      fields.set(key, readField(types?.get(key) ?? 'text', value));
    }
    return Object.fromEntries(fields);
  }
}

/**
 * Path, query and body as one object. Throws `bad_request` when two of them disagree about a field.
 */
export function mergeParams(
  pathParams: Readonly<Record<string, string>>,
  others: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  for (const [key, value] of Object.entries(pathParams)) {
    if (Object.hasOwn(others, key) && others[key] !== value) {
      throw new AppError(
        'bad_request',
        `"${key}" is one thing in the path and another in the request.`,
        { failedBy: 'input' },
      );
    }
  }
  return { ...others, ...pathParams };
}

function placeholders(route: Route): number {
  return route.segments.filter((segment) => segment.startsWith(':')).length;
}

function paramsOf(
  pattern: readonly string[],
  given: readonly string[],
): Record<string, string> | undefined {
  const params = new Map<string, string>();
  for (const [index, segment] of pattern.entries()) {
    const value = given[index] ?? '';
    if (!segment.startsWith(':')) {
      if (segment !== value) return undefined;
      continue;
    }
    const decoded = decode(value);
    if (decoded === undefined || decoded === '' || decoded === '.' || decoded === '..')
      return undefined;
    params.set(segment.slice(1), decoded);
  }
  return Object.fromEntries(params);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function readField(type: FieldType, value: string): unknown {
  if (type === 'number') return /^-?[0-9]{1,16}$/.test(value) ? Number(value) : value;
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

/** The type of each field of an object schema, as far as a query needs it. */
function fieldsOf(schema: v.GenericSchema): Record<string, FieldType> {
  const entries: unknown = 'entries' in schema ? schema.entries : {};
  if (typeof entries !== 'object' || entries === null) return {};
  return Object.fromEntries(
    Object.entries(entries).map(([key, field]): [string, FieldType] => [key, fieldType(field)]),
  );
}

function fieldType(field: unknown): FieldType {
  if (typeof field !== 'object' || field === null) return 'text';
  if ('wrapped' in field) return fieldType(field.wrapped);
  const type = 'type' in field ? field.type : undefined;
  return type === 'number' || type === 'boolean' ? type : 'text';
}
