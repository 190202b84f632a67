// Values of the app, by keys.

import type { StoredValues } from "../types/store.js";
import type { Database, ValueRow } from "./database.js";

export function valuesOf(database: Database): StoredValues {
  return {
    async get<Value>(key: string) {
      const row = await database.read((rows) => rows.get("values", key));
      return row?.value as Value | undefined;
    },
    async all<Value>(prefix = "") {
      const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
      const rows = await database.read((rows) => rows.all("values", range));
      const entry = ({ key, value }: ValueRow) => [key, value];
      return Object.fromEntries(rows.map(entry)) as Record<string, Value>;
    },
    set: (values) =>
      database.write(async (rows) => {
        for (const [key, value] of Object.entries(values))
          await rows.put("values", { key, value });
      }),
    delete: (keys) =>
      database.write(async (rows) => {
        for (const key of keys) await rows.delete("values", key);
      }),
  };
}
