import type { Random } from '../support/seeded-random.ts'
import type { NetworkRates } from './api/network.ts'
import type { FaultRates } from './engine/faults.ts'

/** The processes of the API, and the rates of faults in them and on the network between them and their clients. */
export type PlannedApi = {
  readonly servers: number
  readonly rates: FaultRates
  readonly network: NetworkRates
}

/** Draws the processes of the API. The rates are higher than a daemon's, because a request has few statements. */
export function drawApi(random: Random, isPeaceful: boolean): PlannedApi {
  const rate = (most: number) => (isPeaceful || random.fraction() < 0.3 ? 0 : most * random.fraction())
  return {
    servers: random.pick([1, 1, 2]),
    rates: { lost: rate(0.06), late: rate(0.06), crash: rate(0.03), unreachable: rate(0.1) },
    network: { unreachable: rate(0.15), unanswered: rate(0.25), late: rate(0.1) },
  }
}
