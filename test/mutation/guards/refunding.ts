import type { Mutant } from '../mutant.ts'

const MATCHING = 'test/integration/refunds/matching.test.ts'
const ENDPOINTS = 'test/integration/api/refunds.test.ts'
const CONFIRMED = 'test/integration/refunds/confirmed.test.ts'
const HEAD = 'test/unit/refunds/read-newest-head.test.ts'
const ENDED = 'test/integration/refunds/ended.test.ts'
const RULES = 'test/integration/privileges/refund-rules.test.ts'
const LIMITS = 'test/property/refund-limits.test.ts'

/**
 * The counted refunds of a charge never exceed its received amount. Each refund counts only through its own transfer,
 * as a quorum reports it (decisions 9.6).
 */
export const REFUNDING_RULES: readonly Mutant[] = [
  {
    rule: 'open refunds reserve their amount',
    at: 'shared/domain/refund/refund-limits.ts#getLeft',
    take: 'receivedAtomic - openAtomic - countedAtomic',
    put: 'receivedAtomic - countedAtomic + 0n * openAtomic',
    test: { file: LIMITS, title: 'never reserve and count more in total than the charge received' },
  },
  {
    rule: 'a refund that was paid after its end counts only up to the amount that is left',
    at: 'shared/domain/refund/refund-limits.ts#getCountedPart',
    take: 'return amountAtomic < left ? amountAtomic : left',
    put: 'return amountAtomic < left ? amountAtomic : amountAtomic',
    test: {
      file: MATCHING,
      title:
        'counts a canceled refund that was paid anyway only up to the remaining amount, and logs an error',
    },
  },
  {
    rule: 'a refund is declared under the lock of its charge',
    at: 'indexer/refunds/declare-refund.ts#insertDeclared',
    take: 'readLockedCharges(db, await lockCharges(db, [chargeId]))',
    put: 'readLockedCharges(db, [chargeId])',
    test: { file: MATCHING, title: 'waits for the lock on the charge before it declares a refund' },
  },
  {
    rule: 'a refund is not declared if the API might already have responded with an error',
    at: 'indexer/refunds/declare-refund.ts#declareRefund',
    take: 'await withinTime(readNewestHead(deps, chainId))',
    put: 'await readNewestHead(deps, chainId)',
    test: { file: MATCHING, title: 'rejects a declaration if the read of the head takes too long' },
  },
  {
    rule: 'a transfer before the declaration does not pay a refund',
    at: 'indexer/refunds/match-transfers.ts#matchTransfers',
    take: '.filter(({ afterBlock }) => receipt.blockNumber > afterBlock)',
    put: '.filter(({ afterBlock }) => receipt.blockNumber > afterBlock - 1_000)',
    test: { file: MATCHING, title: 'ignores a named transaction from before the declaration' },
  },
  {
    rule: 'only a transfer of the declared wallet pays a refund',
    at: 'indexer/refunds/match-transfers.ts#keyOf',
    take: 'return [tokenAddress, sender, destination, amountAtomic]',
    put: 'return [tokenAddress, sender.length, destination, amountAtomic]',
    test: { file: MATCHING, title: 'ignores a named transaction from a stranger’s wallet' },
  },
  {
    rule: 'a refund is confirmed only at confirmation depth',
    at: 'indexer/refunds/record-transfer.ts#reportTransfer',
    take: "type: isDeep ? 'transfer.final' : 'transfer.seen'",
    put: "type: isDeep || ordinal === 0 ? 'transfer.final' : 'transfer.seen'",
    test: {
      file: MATCHING,
      title: 'marks a refund as seen once a block has its transfer, and confirms it at confirmation depth',
    },
  },
  {
    rule: 'one transfer pays one refund',
    at: 'indexer/refunds/record-transfer.ts#reportTransfer',
    take: 'find((at) => !taken.includes(at))',
    put: 'find((at) => !taken.includes(-1 - at))',
    test: {
      file: MATCHING,
      title: 'matches one transfer to only one of two equal canceled refunds',
    },
  },
  {
    rule: 'a transfer pays an open refund before an ended one',
    at: 'indexer/refunds/record-transfer.ts#reportTransfer',
    take: '(isEnded(current) && (await hasOpenTwin(db, { id, blockNumber })))',
    put: '(isEnded(current) && !(await hasOpenTwin(db, { id, blockNumber })) && count < 0)',
    test: {
      file: MATCHING,
      title: 'matches a transfer to an open refund, even if an equal canceled refund is checked first',
    },
  },
  {
    rule: 'an organization has at most one open refund of the same content',
    at: 'shared/db/migrations/000029_refund_deadlines.sql',
    take: 'create unique index refunds_one_open on refunds',
    put: 'create index refunds_one_open on refunds',
    test: {
      file: ENDPOINTS,
      title: 'are rejected while their transfer could also pay another open refund',
    },
  },
  {
    rule: 'the wallet of a refund belongs to the organization',
    at: 'indexer/refunds/declare-refund.ts#requireSender',
    take: 'if (await isPayoutRecipient(db,',
    put: 'if (address !== null || await isPayoutRecipient(db,',
    test: {
      file: ENDPOINTS,
      title: 'may be paid only from the payout address of the charge, or from a payout recipient',
    },
  },
  {
    rule: 'money is not refunded to an address of this service',
    at: 'indexer/refunds/require-destination.ts#requireDestination',
    take: 'if (problem === null) return',
    put: "if (problem !== '') return",
    test: {
      file: ENDPOINTS,
      title:
        'are rejected if the destination would lose the money or belongs to the merchant or this service',
    },
  },
  {
    rule: 'a repeated declaration returns its refund, even if the issuer now restricts the destination',
    at: 'api/refunds/routes.ts#createRoute',
    take: '&& !(await hasDeclaredRefund(sql, { chargeId: charge.id, idempotencyKey }))',
    put: "&& idempotencyKey !== ''",
    test: {
      file: ENDPOINTS,
      title: 'are returned again for their idempotency key, even if the issuer now restricts the destination',
    },
  },
  {
    rule: 'a repeated approval succeeds, even if the issuer now restricts the address',
    at: 'api/refunds/claim-routes.ts#approveRoute',
    take: 'if (refund.destination !== address)',
    put: '',
    test: {
      file: ENDPOINTS,
      title: 'stay approved if the approval is repeated after the issuer has restricted the address',
    },
  },
  {
    rule: 'a refund is not declared to an address that the issuer restricts',
    at: 'api/refunds/routes.ts#createRoute',
    take: 'if (account !== null && !(await',
    put: "if (account === '0x' && !(await",
    test: { file: ENDPOINTS, title: 'are rejected if the issuer restricts the destination' },
  },
  {
    rule: 'an escrow that is not released is not refunded by the merchant',
    at: 'indexer/refunds/plan-refund.ts#requireRefundable',
    take: 'if (isHeld)',
    put: 'if (isHeld && pairs.length < 0)',
    test: { file: ENDPOINTS, title: 'are rejected until the charge has ended and its escrow is released' },
  },
  {
    rule: 'a transaction is not read unless its transfer has the content of a refund',
    at: 'indexer/refunds/find-transfers.ts#mergeList',
    take: 'content === undefined || !wanted.has(content)',
    put: 'content === undefined',
    test: { file: MATCHING, title: 'does not read the transactions of a flood of zero transfers' },
  },
  {
    rule: 'an undecided refund delays no other refund',
    at: 'indexer/refunds/read-blocks.ts#readBlocks',
    take: 'listed.filter(({ id }) => !held.has(id) && !unlisted.has(id))',
    put: 'listed.filter(({ id }) => (held.size === 0 || id === null) && !unlisted.has(id))',
    test: { file: MATCHING, title: 'delays only the refund for which a node invents transfers' },
  },
  {
    rule: 'a list of transfers counts only if its node has the last block of the range',
    at: 'indexer/refunds/find-transfers.ts#listLogs',
    take: 'await client.getBlock({ blockNumber: BigInt(scan.toBlock) })',
    put: '',
    test: {
      file: MATCHING,
      title: 'does not rely on the logs of a node that does not have the last block of the range',
    },
  },
  {
    rule: 'a listed transaction is decided only by a quorum',
    at: 'indexer/refunds/read-transfers.ts#readTransfers',
    take: 'if (agreed === null) for (const content of contents) open.add(content)',
    put: 'if (agreed === null) for (const content of contents) open.delete(content)',
    test: {
      file: MATCHING,
      title: 'does not miss a transfer whose receipt a node hides, even if the node lists the transfer in a',
    },
  },
  {
    rule: 'a refund that was declared after a transfer does not prevent the transfer from paying an earlier refund',
    at: 'shared/db/refunds/daemon/watched-refunds.ts#hasOpenTwin',
    take: 'and o.after_block < ${blockNumber}',
    put: 'and o.after_block < ${blockNumber} + 1000',
    test: {
      file: MATCHING,
      title: 'matches a transfer to the canceled refund declared before it, not to one declared after it on',
    },
  },
  {
    rule: 'a refund expires only when the blocks up to its deadline were read twice',
    at: 'shared/db/refunds/daemon/watched-refunds.ts#isDue',
    take: 'r.scanned_block is null or r.reread_until >= r.expires_at',
    put: 'r.scanned_block is null or r.scanned_block > 0',
    test: { file: ENDED, title: 'do not expire before the blocks up to their deadline were read twice' },
  },
  {
    rule: 'an ended refund whose transfer is seen reserves its amount',
    at: 'shared/domain/refund/refund-limits.ts#getRefundable',
    take: 'getLeft(basis) - basis.lateAtomic',
    put: 'getLeft(basis) - 0n * basis.lateAtomic',
    test: { file: LIMITS, title: 'reserves its amount if its transfer is seen after its end' },
  },
  {
    rule: 'an ended refund does not reduce an open refund',
    at: 'shared/db/refunds/paid-pairs.ts#listPaidPairs',
    take: 'sumOf(db`r.amount_atomic`, db`${isWaiting} and ${isEnded}`)} as late_atomic',
    put: 'sumOf(db`r.amount_atomic`, db`false`)} as late_atomic',
    test: { file: ENDED, title: 'become seen if they are paid after they were' },
  },
  {
    rule: 'the database counts a refund only if a quorum reports it',
    at: 'shared/db/migrations/000028_refund_rules.sql',
    take: 'not is_agreed(new.agreed_by, new.chain_id)',
    put: 'new.agreed_by is null',
    test: { file: RULES, title: 'do not allow the status' },
  },
  {
    rule: 'a confirmed refund stays confirmed in the database',
    at: 'shared/db/migrations/000028_refund_rules.sql',
    take: "if tg_op = 'UPDATE' and old.status = 'confirmed' then",
    put: "if tg_op = 'UPDATE' and old.status = 'final' then",
    test: { file: RULES, title: 'do not let a confirmed refund change' },
  },
  {
    rule: 'the database does not count refunds above the received amount',
    at: 'shared/db/migrations/000028_refund_rules.sql',
    take: 'if coalesce(counted, 0) + new.counted_atomic >',
    put: 'if new.counted_atomic >',
    test: {
      file: RULES,
      title:
        'reject a refund if it would count more than the received amount minus all other counted refunds',
    },
  },
  {
    rule: 'a head that no quorum reaches does not void a payment',
    at: 'indexer/refunds/read-newest-head.ts#readNewestHead',
    take: 'return agreed',
    put: 'return newest',
    test: { file: HEAD, title: 'is never a head that fewer nodes than a quorum have reached' },
  },
  {
    rule: 'a refund is not declared based on a stale head',
    at: 'indexer/refunds/read-newest-head.ts#readNewestHead',
    take: 'if (agreed < newest) await requireRecent(',
    put: 'if (agreed < 0) await requireRecent(',
    test: {
      file: HEAD,
      title: 'is not returned if the quorum’s head is old and a single node shows a newer head',
    },
  },
  {
    rule: 'a confirmed refund that a quorum denies is marked',
    at: 'indexer/refunds/verify-confirmed.ts#verify',
    take: 'await markRefundMissing(sql, id)',
    put: 'await postponeVerification(sql, id)',
    test: { file: CONFIRMED, title: 'stay confirmed, and are marked as missing with one error' },
  },
  {
    rule: 'a refund that one trusted node confirmed is verified until a quorum shows it',
    at: 'shared/db/refunds/daemon/verify-refund.ts#markRefundVerified',
    take: 'case when not ${isByQuorum} then',
    put: 'case when not ${isByQuorum} and false then',
    test: {
      file: CONFIRMED,
      title: 'are verified until a quorum shows their transfer, if a node that an operator trusts confirmed',
    },
  },
  {
    rule: 'a confirmed refund that cannot be verified does not delay others',
    at: 'indexer/refunds/verify-confirmed.ts#verifyConfirmed',
    take: 'await postponeVerification(deps.sql, refund.id)',
    put: '',
    test: { file: CONFIRMED, title: 'are verified again later if the verification fails' },
  },
  {
    rule: 'a list of transfers that is too long is requested for fewer refunds',
    at: 'indexer/refunds/read-divided.ts#readFewerRefunds',
    take: 'parts = halve(scan.refunds)',
    put: 'parts = [scan.refunds.slice(0, 0)]',
    test: {
      file: MATCHING,
      title:
        'delays only the refund whose addresses a flood of transfers uses, if nodes refuse to list the flood',
    },
  },
  {
    rule: 'a list of transfers that was not requested for lack of budget is not divided',
    at: 'indexer/refunds/read-divided.ts#readOrNull',
    take: '&& !isUnsent(error.cause)',
    put: '',
    test: {
      file: 'test/unit/refunds/read-divided.test.ts',
      title: 'does not divide a range if the budget of a node has no room for the request',
    },
  },
  {
    rule: 'a list of transfers that is too long is requested for fewer blocks',
    at: 'indexer/refunds/read-divided.ts#readFewerBlocks',
    take: 'if (toBlock === fromBlock)',
    put: 'if (toBlock >= fromBlock)',
    test: {
      file: MATCHING,
      title: 'reads fewer blocks per request if nodes refuse to list a flood of transfers',
    },
  },
  {
    rule: 'per operator and range, at most 20 transactions that no quorum lists are read',
    at: 'indexer/refunds/find-transfers.ts#takeSome',
    take: 'return count <= MAX_DOUBTFUL',
    put: 'return count <= 10 * MAX_DOUBTFUL',
    test: { file: MATCHING, title: 'reads 20 of the transactions that only one node lists' },
  },
  {
    rule: 'old blocks that no node serves delay only the refunds that lag',
    at: 'indexer/refunds/refund-watch.ts#createRefundWatch',
    take: 'if (isRecent || !isUnavailable(error)) throw error',
    put: 'if (isRecent || error !== null) throw error',
    test: { file: ENDED, title: 'expire even if no node serves the old blocks that another refund needs' },
  },
  {
    rule: 'a deadline that does not take effect raises an alert, even if no daemon reads the chain',
    at: 'shared/db/refunds/daemon/update-refund.ts#readUnreadAges',
    take: 'extract(epoch from now() - min(r.expires_at))',
    put: 'extract(epoch from now() - now())',
    test: { file: ENDED, title: 'count as unread since their deadline if no daemon reads their chain' },
  },
  {
    rule: 'refunds that cannot expire do not delay others',
    at: 'shared/db/refunds/daemon/watched-refunds.ts#listDueRefunds',
    take: 'order by random()',
    put: 'order by r.id',
    test: {
      file: ENDED,
      title: 'expire in random order, so that refunds that cannot expire do not delay other refunds',
    },
  },
  {
    rule: 'money is not refunded to a contract that keeps it',
    at: 'shared/domain/refund/find-destination-problem.ts#findDestinationProblem',
    take: 'if (COMMON_CONTRACTS.has(destination))',
    put: 'if (COMMON_CONTRACTS.has(sender))',
    test: { file: 'test/unit/domain/find-destination-problem.test.ts', title: 'is never' },
  },
]
