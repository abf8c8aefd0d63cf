import type { Db, Sql } from '../../shared/db/connect.ts'
import type { RpcFate } from './rpc-proxy.ts'

class KilledError extends Error {}

/**
 * A process that is killed at one of its steps. Each statement and each request to a node is a step. Each database
 * transaction has three more steps: before it begins, before its commit and after its commit.
 */
export type KillableProcess = {
  /**
   * Counts a step.
   *
   * @throws {KilledError} at `lastStep` and every later step
   */
  readonly step: () => void
  /** Whether the process is killed. */
  readonly isOver: () => boolean
}

/** Creates a process that is killed at `lastStep`, counted from 1. */
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

/** Wraps a connection so that a killed process cannot use it, and its open transactions are rolled back. */
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
      // Calls that build lists of values or fragments of statements send no query, so they are not steps.
      if (Array.isArray(args[0]) && 'raw' in args[0] && isStatement(args[0])) life.step()
      return Reflect.apply(target as never, self, args)
    },
  })
}

function isStatement([first = '']: readonly string[]): boolean {
  return /^\s*(select|insert|update|delete|with)\b/.test(first)
}

/**
 * Counts a request to a node as a step, and returns its outcome. If the process is killed at this step, the request
 * fails, but if `isDone` returns true, the node executes the request and only the response is lost.
 */
export function getRequestOutcome(life: KillableProcess, isDone: () => boolean): RpcFate {
  if (life.isOver()) return 'error'
  try {
    life.step()
    return 'pass'
  } catch {
    return isDone() ? 'lose-answer' : 'error'
  }
}
