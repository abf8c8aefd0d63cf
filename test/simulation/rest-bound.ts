import { RECHECK_SECONDS } from '../../indexer/payouts/retry-schedule.ts'
import { MAX_STEP_MS } from './engine/scheduler.ts'

/**
 * The service's longest wait: a payout or a held share that an issuer restricted just before the faults ended is
 * checked again an hour later (specification, "Limits"). If one node permanently dates a chain back by an hour
 * (`MISDATED_SECONDS`), a charge also ends an hour late, because a payment that this node invents seems to be in time.
 *
 * All other waits are shorter and run at the same time: the lease of a dead daemon takes 15 s (deliveries) to 120 s
 * (expiry checks), a stalled chain or feed 2 to 10 minutes, the next search for an unexplained balance 5 minutes, a
 * rejected transaction 5 minutes, and the last attempts of deliveries and payouts 2 minutes. A late payment on a
 * sleeping network is found after a quarter of an hour, when a charge wakes the network (`simulate.ts`).
 */
const LONGEST_WAIT_MS = RECHECK_SECONDS * 1_000

/**
 * Steps in sequence after the longest wait, each of which takes at most `MAX_STEP_MS`: the check itself (1), the
 * transaction's block and the three blocks of its depth (4), the feed's poll (1), the row (1), its corroboration, which
 * might be postponed once (2), the ledger and the payout (2), the transaction's record (1), the charge (1), its event's
 * number (1) and the delivery (1). The other 5 steps allow for requests to a silent node, 10 s each.
 */
const STEPS = 20

/**
 * Time after the end of the faults within which each payable amount is paid, announced and settled, even if a daemon or
 * a node never recovers: an hour and a half.
 */
export const REST_MS = LONGEST_WAIT_MS + STEPS * MAX_STEP_MS
