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
  /** Called after a Safe on this chain has passed the check, because its escrow can then end. */
  readonly onNews: () => void
}

/** Maximum checks claimed per turn. Each reads one balance per accepted token. */
const CHECKS_PER_TURN = 100
/** Lease of claimed checks. When it expires, any daemon retries the checks that failed or whose daemon died. */
const LEASE_SECONDS = 10
/** Delay before the balances of a waiting end are compared again. The feed may by then show the missing transfer. */
const HELD_AGAIN_SECONDS = 30

/**
 * Creates the job that compares the balances of Safes on one chain with our rows up to the same block. A Safe is
 * checked after the releaser has moved its money on chain, and before its escrow ends.
 *
 * A balance above our rows means that our rows lack a transfer. The escrow's end then waits, with an alert, until a
 * later comparison finds no excess. A balance below our rows does not delay the end, because an issuer can reduce a
 * balance without a log. If no quorum returns a balance, the end waits for a minute.
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
   * Compares balances with our rows. A charge whose Safe has an unread balance gets a result only if another balance
   * has an excess, or if the last check found one.
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
