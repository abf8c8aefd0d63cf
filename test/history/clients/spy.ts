import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../../support/seeded-random.ts'
import type { Organization } from './organization.ts'
import type { Shop } from './shop.ts'

const PAUSE_MS = 1_000

/** Requests that must not reveal the charge of another organization. */
const ATTEMPTS: readonly ((id: string) => string)[] = [
  (id) => `GET /v1/charges/${id}`,
  (id) => `GET /v1/charges/${id}/timeline`,
  (id) => `GET /v1/charges/${id}/accounting`,
  (id) => `POST /v1/charges/${id}/check`,
]

/** Starts requests for the charges of another organization's shop. Returns the function that ends the requests. */
export function startSpy(organization: Organization, other: Shop, random: Random): () => Promise<void> {
  const ending = new AbortController()
  const spy = async () => {
    while (!ending.signal.aborted) {
      const latest = other.charges.slice(-30)
      if (latest.length > 0) await organization.send(random.pick(ATTEMPTS)(random.pick(latest).id))
      await delay(PAUSE_MS, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  }
  const spying = spy()
  return async () => {
    ending.abort()
    await spying
  }
}
