import type { Sql } from '../../shared/db/connect.ts'

/** Part of a statement's text, and which occurrence of the statement to interrupt, counted from 1. */
type Moment = { readonly asked: string; readonly time: number }

/** Wraps a connection pool to run `happen` just before it sends a statement. A string means the first occurrence. */
export function interrupted(sql: Sql, moment: string | Moment, happen: () => Promise<unknown>): Sql {
  const { asked, time } = typeof moment === 'string' ? { asked: moment, time: 1 } : moment
  let count = 0
  return new Proxy(sql, {
    apply: (target, self, args: unknown[]) => {
      const ask = () => Reflect.apply(target as never, self, args)
      if (!(args[0] as readonly string[]).join().includes(asked)) return ask()
      count += 1
      return count === time ? happen().then(ask) : ask()
    },
  })
}
