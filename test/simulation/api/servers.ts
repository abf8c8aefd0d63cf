import type { Sql } from '../../../shared/db/connect.ts'
import type { IndexerDeployment } from '../../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../../shared/runtime/logger.ts'
import type { Scheduler, SimulatedProcess } from '../engine/scheduler.ts'
import { createSimulatedApp } from './create-app.ts'
import { type Handle, type HttpRequest, type HttpResponse, handleRequest } from './handle-request.ts'

/** Called once with the response; with `null` if the connection broke first. */
type OnResponse = (response: HttpResponse | null) => void

/** A process of the API. While it is restarted, it refuses requests. */
export type ApiServer = { readonly receive: (request: HttpRequest, onResponse: OnResponse) => void }

type Terms = {
  readonly scheduler: Scheduler
  readonly deployments: readonly IndexerDeployment[]
  /** Whether payers name the destinations of refunds in this history. */
  readonly hasClaims: boolean
  /** Creates a process. `onDeath` is called when a fault has killed it. */
  readonly createProcess: (
    name: string,
    onDeath: () => void,
  ) => { process: SimulatedProcess; openSql: () => Sql }
  readonly createLog: (name: string) => Logger
}

/** Time that a supervisor takes to restart a process. */
const RESTART_MS = 700

type Running = {
  readonly process: SimulatedProcess
  readonly handle: Handle
  readonly open: Set<OnResponse>
}

/** Starts a process of the API, which is restarted when it dies. */
export function startServer(terms: Terms, index: number): ApiServer {
  const { scheduler, createLog, deployments, hasClaims } = terms
  let running: Running | null = null
  let started = 0
  start()
  return {
    receive: (request, onResponse) => {
      if (running === null) onResponse(null)
      else handle(running, request, onResponse)
    },
  }

  function start(): void {
    started += 1
    const name = `server-${index}.${started}`
    const open = new Set<OnResponse>()
    const { process, openSql } = terms.createProcess(name, () => {
      running = null
      for (const onResponse of open) onResponse(null)
      open.clear()
      scheduler.later({ delayMs: RESTART_MS, process: null, label: `starts server-${index}`, run: start })
    })
    const run = () => {
      const app = createSimulatedApp({ sql: openSql(), log: createLog(name), deployments, hasClaims })
      running = { process, handle: app, open }
    }
    scheduler.later({ delayMs: 0, process, label: 'begins', run })
  }

  function handle({ process, handle, open }: Running, request: HttpRequest, onResponse: OnResponse): void {
    open.add(onResponse)
    const respond = (response: HttpResponse | null) => {
      if (open.delete(onResponse)) onResponse(response)
    }
    const run = () => void handleRequest(handle, request).then(respond, () => respond(null))
    scheduler.later({ delayMs: 0, process, label: `handles ${request.method} ${request.path}`, run })
  }
}
