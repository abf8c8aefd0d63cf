import type { Random } from '../../support/seeded-random.ts'
import type { Recorder } from '../record.ts'
import type { Stage } from '../stage.ts'
import { type Endpoint, startEndpoint } from './endpoint.ts'
import { listen } from './listen.ts'
import { observeHeads } from './observe-heads.ts'
import { createOrganization } from './organization.ts'
import { openShop, type Shop } from './shop.ts'
import { startSpy } from './spy.ts'

/** Two organizations, each with a shop, an endpoint and a stream. Each also requests the other's charges. */
export type Clients = {
  readonly shops: readonly Shop[]
  readonly endpoints: readonly Endpoint[]
  /**
   * Stops the shops and the requests for the other organization's charges. Resolves when every planned payment is sent
   * or has failed.
   */
  readonly closeShops: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Charges of the second organization per charge of the first. */
const SHARE_OF_SECOND = 0.25

/** Starts all clients. Resolves when their endpoints and streams are ready, so that no event is missed. */
export async function startClients(options: {
  readonly stage: Stage
  readonly recorder: Recorder
  readonly random: Random
  /** Charges of the first organization per second. */
  readonly rate: number
}): Promise<Clients> {
  const { stage, recorder, random, rate } = options
  const { apiUrl, keys } = stage.devnet.description
  const first = createOrganization(recorder, { name: 'first', key: keys.live, apiUrl })
  const second = createOrganization(recorder, { name: 'second', key: keys.otherOrganization, apiUrl })
  const both = [first, second]
  const endpoints = await Promise.all(both.map((one) => startEndpoint(recorder, one)))
  const path = '/v1/webhooks/listen'
  const listeners = await Promise.all(
    both.map((one) => listen(recorder, one, { path, endsWithService: false })),
  )
  const stopHeads = observeHeads(recorder, stage.networks)
  const open = { devnet: stage.devnet, recorder, random }
  const shop = openShop(first, { ...open, rate })
  const other = openShop(second, { ...open, rate: rate * SHARE_OF_SECOND })
  const spies = [startSpy(second, shop, random), startSpy(first, other, random)]
  const shops = [shop, other]
  return {
    ...{ shops, endpoints },
    closeShops: async () => {
      await Promise.all(shops.map((each) => each.close()))
      await Promise.all(spies.map((stop) => stop()))
    },
    stop: async () => {
      await Promise.all(shops.map((each) => each.close()))
      await Promise.all(spies.map((stop) => stop()))
      await Promise.all([...shops, ...listeners, ...endpoints].map((each) => each.stop()))
      await stopHeads()
    },
  }
}
