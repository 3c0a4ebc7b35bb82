import type { Compilable, CompiledQuery } from 'kysely';
import type { Database } from './database.ts';

/** Stands for a value while the query is built. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Compiles a frequent query once, because compiling costs more than running it. `build` must not depend
 * on the values.
 */
export function prepare<Values extends object, Row>(
  database: Database,
  build: (values: Values) => Compilable<Row>,
): (values: Values) => Promise<Row[]> {
  let compiled: CompiledQuery<Row> | undefined;
  let places: unknown[] = [];

  function compile(): CompiledQuery<Row> {
    const names = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) });
    const query = build(names as Values).compile();
    places = [...query.parameters];
    return query;
  }

  return async (values) => {
    compiled ??= compile();
    const parameters = places.map((place) =>
      place instanceof Placeholder ? values[place.name as keyof Values] : place,
    );
    const query: CompiledQuery<Row> = { ...compiled, parameters };
    const { rows } = await database.executeQuery(query);
    return rows;
  };
}
