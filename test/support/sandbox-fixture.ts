import { expect } from 'chai'
import { type ChargeActorDeps, runChargeTurns } from '../../indexer/charges/charge-actor.ts'
import { processSimulatedOrder } from '../../indexer/charges/simulated-order-worker.ts'
import { processTrigger } from '../../indexer/charges/trigger-worker.ts'
import { createTurnFailureTracker } from '../../indexer/charges/turn-failure-tracker.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { startTestApi, type TestApi } from './api.ts'
import { type Answer, call } from './call-route.ts'
import { MINIMUM_PAYOUT } from './factories.ts'
import { connectForTest } from './postgres.ts'
import { recordingLog } from './recording-log.ts'

/** An API with only live networks, and the daemon's loops that need no chain. */
export type SandboxFixture = {
  readonly api: TestApi
  /** Connections with the daemon's role. */
  readonly daemon: Sql
  /** An API key of the test environment. */
  readonly key: string
  /** Starts the daemon's loops again after `stopDaemon`. */
  readonly startDaemon: () => void
  readonly stopDaemon: () => Promise<void>
  readonly create: (changes?: object) => Promise<Answer>
  readonly read: (id: string) => Promise<Answer>
  readonly trigger: (id: string, body: object) => Promise<Answer>
  /** Returns the types of a charge's events, in order. */
  readonly eventsOf: (id: string) => Promise<readonly string[]>
  readonly stop: () => Promise<void>
}

export const USDC_BASE = { token: 'USDC', network: 'base' }
export const USDC_OPTIMISM = { token: 'USDC', network: 'optimism' }

/** Starts the API and the daemon's loops. `deployments` is the value of DEPLOYMENTS. */
export async function createSandboxFixture(
  deployments = 'base:live,bnb:live',
  settings: Readonly<Record<string, string>> = {},
): Promise<SandboxFixture> {
  const api = await startTestApi({ DEPLOYMENTS: deployments, ...settings })
  const { key } = await api.issueKey({
    environment: 'test',
    scopes: ['charges:read', 'charges:write', 'sandbox:trigger'],
  })
  const daemon = connectForTest(api.database.url.daemon)
  const { log } = recordingLog()
  const deps: ChargeActorDeps = {
    ...{ sql: daemon, log, now: () => new Date(), graceSeconds: 300, expiry: { silentSeconds: 900 } },
    checkoutBaseUrl: null,
    swapProvider: null,
    minimumPayoutOf: () => MINIMUM_PAYOUT,
    failedTurns: createTurnFailureTracker(),
    onEvents: () => undefined,
  }
  let loops: readonly Loop[] = []
  const startDaemon = () => {
    loops = [runChargeTurns, processTrigger, processSimulatedOrder].map((turn) =>
      createLoop({ name: 'sandbox', intervalMs: 20, turn: () => turn(deps), log }),
    )
    for (const loop of loops) loop.start()
  }
  const stopDaemon = async () => {
    for (const loop of loops) await loop.stop()
  }
  startDaemon()
  return {
    ...{ api, daemon, key, startDaemon, stopDaemon },
    create: (changes = {}) => {
      const body = { amount: 10, expiresIn: 600, acceptedPayments: [USDC_BASE], ...changes }
      return call(api, 'POST /v1/charges', { key, body })
    },
    read: (id) => call(api, `GET /v1/charges/${id}`, { key }),
    trigger: (id, body) => call(api, `POST /v1/sandbox/charges/${id}/trigger`, { key, body }),
    eventsOf: async (id) => {
      const rows = await api.owner<{ type: string }[]>`
        select type from events where charge_id = ${id} order by number`
      return rows.map(({ type }) => type)
    },
    stop: async () => {
      await stopDaemon()
      await daemon.end()
      await api.stop()
    },
  }
}

/** Waits until the charge has the given status, and returns the API's response. */
export async function waitForStatus(stage: SandboxFixture, id: string, status: string): Promise<Answer> {
  const answer = await waitFor(
    async () => {
      const current = await stage.read(id)
      return current.body.status === status && current
    },
    { what: `${id} to be ${status}`, timeoutMs: 60_000 },
  )
  expect(answer.body.status).to.equal(status)
  return answer
}
