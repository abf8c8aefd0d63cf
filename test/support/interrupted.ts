import type { Sql } from '../../shared/db/connect.ts'

/** Connections on which something happens just before they are asked this for the first time. */
export function interrupted(sql: Sql, asked: string, happen: () => Promise<unknown>): Sql {
  let hasHappened = false
  return new Proxy(sql, {
    apply: (target, self, args: unknown[]) => {
      const ask = () => Reflect.apply(target as never, self, args)
      if (hasHappened || !(args[0] as readonly string[]).join().includes(asked)) return ask()
      hasHappened = true
      return happen().then(ask)
    },
  })
}
