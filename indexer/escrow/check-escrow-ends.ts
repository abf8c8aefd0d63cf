import type { Sql } from '../../shared/db/connect.ts'
import {
  claimEndChecks,
  type EndCheck,
  type EndCheckResult,
  recordEndChecks,
} from '../../shared/db/escrow/daemon/escrow-end-checks.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { WatchedDeployment } from '../chain-feed/observe.ts'
import {
  type BalanceDifference,
  balancesOf,
  explainBalances,
  type FoundBalance,
} from '../reconciliation/compare-balances.ts'
import { isExcess } from '../reconciliation/judge-evidence.ts'
import type { AgreedBalances, ReadAgreedBalances } from './agreed-balances.ts'

type Deps = {
  readonly sql: Sql
  readonly deployment: WatchedDeployment
  readonly readAgreedBalances: ReadAgreedBalances
  readonly log: Logger
  /** Called when an end may no longer wait. */
  readonly onNews: () => void
}

/** Checks claimed in one turn; two to four balances each. */
const CHECKS_PER_TURN = 100
/** A daemon that dies leaves its claims to others after this; a failed reading is repeated after this. */
const LEASE_SECONDS = 10
/** A held end is compared again after this: the hidden transfer may have been found. */
const HELD_AGAIN_SECONDS = 30

/**
 * Creates the job that compares, on one chain, the balances of Safes whose escrow has ended by what the releaser moved
 * on chain, with our rows up to the same block.
 *
 * More than they explain means that a transfer is hidden from us: the end waits, with an alert, until a later comparison
 * explains it. A shortage, which an issuer can make without a log, and a balance that no quorum returns hold nothing.
 */
export function createEndChecking(deps: Deps): { readonly turn: () => Promise<'more' | 'idle'> } {
  const { sql, deployment } = deps
  const { chainId } = deployment
  return { turn }

  async function turn(): Promise<'more' | 'idle'> {
    const claim = { chainId, limit: CHECKS_PER_TURN, leaseSeconds: LEASE_SECONDS }
    const checks = await claimEndChecks(sql, claim)
    if (checks.length === 0) return 'idle'
    const safes = balancesOf(checks, deployment).filter(({ account, charge }) => account === charge.address)
    const agreed = await deps.readAgreedBalances(safes)
    if (agreed === null) return 'idle'
    const results = await compare(checks, agreed)
    await recordEndChecks(sql, { chainId, againInSeconds: HELD_AGAIN_SECONDS }, results)
    if (results.some(({ excess }) => excess === null)) deps.onNews()
    return checks.length === CHECKS_PER_TURN ? 'more' : 'idle'
  }

  /** A charge of which a quorum returned no balance has no result. */
  async function compare(checks: readonly EndCheck[], agreed: AgreedBalances) {
    const { block, found } = agreed
    const differences = await explainBalances({ db: sql, deployment }, { found, block })
    const excesses = differences.filter(isExcess)
    return checks
      .filter((check) => found.some((balance) => isOf(balance, check)))
      .map((check): EndCheckResult => {
        const excess = excesses.find((difference) => isOf(difference, check)) ?? null
        if (excess !== null) report(excess, { check, block })
        return { chargeId: check.id, block, excess }
      })
  }

  function report(
    excess: BalanceDifference,
    { check, block }: { readonly check: EndCheck; readonly block: number },
  ): void {
    const { tokenAddress, account, expectedAtomic, foundAtomic } = excess
    const write = check.isHeld ? deps.log.warn : deps.log.error
    write.call(deps.log, {
      msg: 'Escrow end waits: its Safe holds more than our rows explain',
      ...{ chain_id: chainId, block_number: block, charge_id: check.id, account },
      ...{ token_address: tokenAddress, expected_atomic: expectedAtomic, found_atomic: foundAtomic },
    })
  }
}

function isOf({ charge }: FoundBalance, { id }: EndCheck): boolean {
  return charge.id === id
}
