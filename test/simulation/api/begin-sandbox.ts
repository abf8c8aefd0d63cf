import { createRandomStream } from '../engine/chance.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { Plan } from '../plan-types.ts'
import { ORGANIZATIONS } from '../world.ts'
import type { Client } from './client.ts'
import { createApiConfig } from './create-app.ts'
import { type Walk, walkPages } from './walk-pages.ts'

type Terms = {
  readonly scheduler: Scheduler
  readonly client: Client
  readonly plan: Plan
  /** List to which completed walks are added. */
  readonly walks: Walk[]
}

const MAX_REST_MS = 600

/**
 * Plans the requests of a merchant who tries out the service: charges on testnets that are not watched, simulated
 * payments, expiries and settlements, and one walk through the pages while the charges are created.
 */
export function beginSandbox({ scheduler, client, plan, walks }: Terms): void {
  const organization = ORGANIZATIONS.find(({ environment }) => environment === 'test')
  const [first] = plan.sandbox
  if (organization === undefined || first === undefined) return
  const random = createRandomStream(scheduler.seed, 'sandbox walks')
  const acceptedPayments = createApiConfig(plan.deployments)
    .simulatedPairs.filter(({ network }) => network !== 'base' && network !== 'tron')
    .slice(0, 2)
  const later = (delayMs: number, label: string, run: () => void) =>
    void scheduler.later({ delayMs, process: null, label, run })
  const rest = () =>
    new Promise<void>((resolve) => later(random.integer(MAX_REST_MS), 'reads the next page', resolve))
  for (const [index, { atMs }] of plan.sandbox.entries())
    later(atMs, `sandbox charge ${index}`, () => void create(index))
  later(first.atMs + random.integer(2_000), 'walk of the sandbox', () => void walk(1 + random.integer(2)))

  async function walk(limit: number): Promise<void> {
    if (organization === undefined) return
    walks.push(await walkPages({ client, organization, limit, nowMs: scheduler.nowMs, rest }))
  }

  async function create(index: number): Promise<void> {
    const planned = plan.sandbox[index]
    if (organization === undefined || planned === undefined) return
    const { status, body } = await client.insist({
      ...{ organization, method: 'POST', path: '/v1/charges' },
      headers: { 'idempotency-key': `sandbox-${index}` },
      body: JSON.stringify({ amount: 10, acceptedPayments, expiresIn: planned.expiresInMs / 1000 }),
    })
    if (status !== 201) throw new Error(`a charge of the sandbox was answered with ${status} ${body}`)
    const { id } = JSON.parse(body) as { readonly id: string }
    for (const { afterMs, event } of planned.triggers)
      later(afterMs, `triggers ${event} of ${index}`, () => {
        const path = `/v1/sandbox/charges/${id}/trigger`
        void client.ask({ organization, method: 'POST', path, body: JSON.stringify({ event }) })
      })
  }
}
