// A value that is kept as JSON under a name of its own. What is not there, was damaged or has
// another form is read as nothing.
import * as v from 'valibot';

interface Texts {
  getMeta(name: string): string | undefined;
}

export class StoredValue<Value> {
  readonly #name: string;
  readonly #schema: v.GenericSchema<unknown, Value>;
  readonly #nothing: Value;

  constructor(name: string, schema: v.GenericSchema<unknown, Value>, nothing: Value) {
    this.#name = name;
    this.#schema = schema;
    this.#nothing = nothing;
  }

  read(texts: Texts): Value {
    const stored = v.pipe(v.string(), v.parseJson(), this.#schema);
    const read = v.safeParse(stored, texts.getMeta(this.#name));
    return read.success ? read.output : this.#nothing;
  }

  write(texts: { setMeta(name: string, text: string): void }, value: Value): void {
    texts.setMeta(this.#name, JSON.stringify(value));
  }
}
