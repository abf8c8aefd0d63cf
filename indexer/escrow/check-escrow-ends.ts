import type { Sql } from '../../shared/db/connect.ts'
import {
  claimEndChecks,
  type EndCheck,
  type EndCheckResult,
  recordEndChecks,
} from '../../shared/db/escrow/daemon/escrow-end-checks.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { WatchedDeployment } from '../chain-feed/observe.ts'
import { isExcess } from '../reconciliation/classify-balances.ts'
import {
  type BalanceKey,
  type BalanceMismatch,
  diffBalances,
  listComparedBalances,
} from '../reconciliation/compare-balances.ts'
import { type AgreedBalances, isSameBalance, type ReadAgreedBalances } from './agreed-balances.ts'

type Deps = {
  readonly sql: Sql
  readonly deployment: WatchedDeployment
  readonly readAgreedBalances: ReadAgreedBalances
  readonly log: Logger
  /** Called when a Safe's balances on this chain have passed the check, so that an end may no longer have to wait. */
  readonly onNews: () => void
}

/** Maximum checks claimed per turn. Each reads one balance per accepted token. */
const CHECKS_PER_TURN = 100
/**
 * Lease of a claim. When it expires, another daemon continues the check of a dead daemon, and a failed check is
 * retried.
 */
const LEASE_SECONDS = 10
/** Delay before the balances of a waiting end are compared again, because the hidden transfer may have been found. */
const HELD_AGAIN_SECONDS = 30

/**
 * Creates the job that compares, on one chain, the balances of Safes with our rows up to the same block. It checks the
 * Safes from which the releaser moved the money on chain, before their escrows end.
 *
 * A balance above the rows means that a transfer is hidden from us. The end then waits, with an alert, until a later
 * comparison finds no excess. An end does not wait for a balance that is below the rows, which an issuer can cause
 * without a log, and waits only a minute for a balance that no quorum has returned.
 */
export function createEndChecking(deps: Deps): { readonly turn: () => Promise<'more' | 'idle'> } {
  const { sql, deployment } = deps
  const { chainId } = deployment
  return { turn }

  async function turn(): Promise<'more' | 'idle'> {
    const claim = { chainId, limit: CHECKS_PER_TURN, leaseSeconds: LEASE_SECONDS }
    const checks = await claimEndChecks(sql, claim)
    if (checks.length === 0) return 'idle'
    const safes = listComparedBalances(checks, deployment).filter(
      ({ account, charge }) => account === charge.address,
    )
    const agreed = await deps.readAgreedBalances(safes)
    if (agreed === null) return 'idle'
    const results = await compare(checks, safes, agreed)
    await recordEndChecks(sql, { chainId, againInSeconds: HELD_AGAIN_SECONDS }, results)
    if (results.some(({ excess, isUnread }) => excess === null && !isUnread)) deps.onNews()
    return checks.length === CHECKS_PER_TURN ? 'more' : 'idle'
  }

  /**
   * Compares balances with our rows. If a quorum did not return each balance of a charge's Safe, the charge has a
   * result only if there is an excess, or if its earlier excess is gone.
   */
  async function compare(checks: readonly EndCheck[], safes: readonly BalanceKey[], agreed: AgreedBalances) {
    const { block, found } = agreed
    const differences = await diffBalances({ db: sql, deployment }, { found, block, isStrict: true })
    const excesses = differences.filter(isExcess)
    const unread = safes.filter((safe) => !found.some((balance) => isSameBalance(balance, safe)))
    return checks.flatMap((check): readonly EndCheckResult[] => {
      const excess = excesses.find((difference) => isOf(difference, check)) ?? null
      if (excess !== null) report(excess, { check, block })
      const isUnread = unread.some((balance) => isOf(balance, check))
      if (excess === null && isUnread && !check.isHeld) return []
      return [{ chargeId: check.id, block, excess, isUnread }]
    })
  }

  function report(
    excess: BalanceMismatch,
    { check, block }: { readonly check: EndCheck; readonly block: number },
  ): void {
    const { tokenAddress, account, expectedAtomic, foundAtomic } = excess
    const write = check.isHeld ? deps.log.warn : deps.log.error
    write.call(deps.log, {
      msg: 'The end of an escrow waits: the Safe holds more than our rows explain',
      ...{ chain_id: chainId, block_number: block, charge_id: check.id, account },
      ...{ token_address: tokenAddress, expected_atomic: expectedAtomic, found_atomic: foundAtomic },
    })
  }
}

function isOf({ charge }: BalanceKey, { id }: EndCheck): boolean {
  return charge.id === id
}
