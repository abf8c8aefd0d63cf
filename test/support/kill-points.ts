import type { Db, Sql } from '../../shared/db/connect.ts'
import type { RpcFate } from './rpc-proxy.ts'

/** A process was killed before it could do this. */
class KilledError extends Error {}

/** A process that is killed before one of its steps: each statement, each commit, and each request to a node is one. */
export type KillableProcess = {
  /** @throws {KilledError} from the last step on */
  readonly step: () => void
  readonly isOver: () => boolean
}

/** Creates the life of a process that is killed before this step, counting from 1. */
export function createKillableProcess(lastStep: number): KillableProcess {
  let taken = 0
  const isOver = (): boolean => taken >= lastStep
  return {
    isOver,
    step: () => {
      taken += 1
      if (isOver()) throw new KilledError(`killed before step ${lastStep}`)
    },
  }
}

/** A connection that is lost with the process: a transaction that it has not committed is rolled back. */
export function createKillableConnection(sql: Sql, life: KillableProcess): Sql {
  const begin = async (mode: string, work: (db: Db) => Promise<unknown>): Promise<unknown> => {
    life.step()
    const result = await sql.begin(mode, async (db) => {
      const worked = await work(countStatements(db, life))
      life.step()
      return worked
    })
    life.step()
    return result
  }
  return new Proxy(countStatements(sql, life), {
    get: (target, name, receiver) => (name === 'begin' ? begin : Reflect.get(target, name, receiver)),
  }) as Sql
}

function countStatements<Connection extends Db>(db: Connection, life: KillableProcess): Connection {
  return new Proxy(db, {
    apply: (target, self, args: unknown[]) => {
      // A list of values, or a fragment of a statement, sends no query.
      if (Array.isArray(args[0]) && 'raw' in args[0] && isStatement(args[0])) life.step()
      return Reflect.apply(target as never, self, args)
    },
  })
}

function isStatement([first = '']: readonly string[]): boolean {
  return /^\s*(select|insert|update|delete|with)\b/.test(first)
}

/** Outcome of a request to a node: the last one may have been executed, with only its response lost. */
export function getRequestOutcome(life: KillableProcess, isDone: () => boolean): RpcFate {
  if (life.isOver()) return 'error'
  try {
    life.step()
    return 'pass'
  } catch {
    return isDone() ? 'lose-answer' : 'error'
  }
}
