import type { Static } from '@sinclair/typebox'
import { listAwaitedTransfers } from '../../shared/db/chain-facts/confirmation-progress.ts'
import { type CurrentCharge, findCharges, type StaleAfter } from '../../shared/db/charges/charges-read.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { listPairContracts } from '../../shared/db/organizations/pairs-read.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { isId } from '../../shared/domain/ids.ts'
import { type PairContract, type PairKey, pairKey } from '../../shared/domain/networks.ts'
import { testnetContract } from '../../shared/domain/testnet-contract.ts'
import { createBatch } from '../../shared/runtime/batch.ts'
import { type PresentDeps, presentCurrentCharge } from '../charges/present.ts'
import type { Charge } from '../charges/schema.ts'
import { type Checkout, projectCheckout } from './project.ts'

type Deps = PresentDeps & {
  readonly sql: Sql
  readonly config: PresentDeps['config'] & { readonly staleAfter: StaleAfter }
}

/** Answers what a payer may see of the charge with this id as it is now; `null` for whatever is the id of none. */
export type ReadCheckout = (id: string, now: Date) => Promise<Checkout | null>

/** No charge has it: what a text that is no id is looked up as, so that it takes as long as an id of nothing. */
const NOBODY = `ch_${'0'.repeat(36)}`

/**
 * Makes the read of one charge for whoever has its id, in which simultaneous requests share a statement.
 *
 * What is awaited is read before the charge: a transfer that is credited in between is then told of twice. In the other
 * order it would be told of not at all, and its payer would be asked to pay again.
 */
export function createReadCheckout(deps: Deps): ReadCheckout {
  const { sql, config } = deps
  const find = createBatch({
    run: async (ids: readonly string[]) => {
      const awaited = await listAwaitedTransfers(sql, ids)
      const found = await findCharges(sql, { ids, staleAfter: config.staleAfter })
      const byId = new Map(found.map((current) => [current.charge.id, current]))
      return ids.map((id) => ({
        current: byId.get(id) ?? null,
        awaited: awaited.filter(({ chargeId }) => chargeId === id),
      }))
    },
    maxItems: 100,
    maxRuns: 1,
  })
  return async (id, now) => {
    const { current, awaited } = await find(isId('ch', id) ? id : NOBODY)
    if (current === null) return null
    const contracts = await contractsOf(sql, current.charge)
    return projectCheckout({ current, presented: present(current, deps), awaited, contracts, now })
  }
}

/** By the one presenter of charges, whose every rule holds here too. */
function present(current: CurrentCharge, deps: Deps): Static<typeof Charge> {
  return JSON.parse(presentCurrentCharge(current, deps)) as Static<typeof Charge>
}

async function contractsOf(sql: Sql, charge: ChargeRecord): Promise<ReadonlyMap<PairKey, PairContract>> {
  const { environment, acceptedPayments: pairs, isSimulated } = charge
  if (!isSimulated) return listPairContracts(sql, { environment, pairs })
  return new Map(
    pairs.flatMap((pair) => {
      const contract = testnetContract(pair)
      return contract === null ? [] : [[pairKey(pair), contract] as const]
    }),
  )
}
