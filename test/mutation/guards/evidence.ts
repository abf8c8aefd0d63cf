import type { Mutant } from '../mutant.ts'

const CLIENT = 'test/unit/client/verify-evidence.test.ts'
const FINAL = 'test/unit/evidence/is-final-failure.test.ts'
const TURN = 'test/unit/evidence/query-in-turn.test.ts'
const THREAD = 'test/integration/evidence/receipt-prover.test.ts'
const STORED = 'test/integration/evidence/charge-evidence.test.ts'
const PROOFS = 'test/unit/evidence/prove-receipts.test.ts'
const VERIFY = 'api/client/verify-evidence.ts'
const LOGS = 'api/client/verify-evidence-logs.ts'

/** What evidence of a payment must show before it counts as a proof, and which proofs the daemon stores. */
export const EVIDENCE_RULES: readonly Mutant[] = [
  {
    rule: 'a header counts only with the hash of the trusted block',
    at: `${VERIFY}#proveLogs`,
    take: 'keccak256(header) === block.hash',
    put: 'keccak256(header) !== null',
    test: { file: CLIENT, title: 'refuses the header of another block' },
  },
  {
    rule: 'a receipt counts only if its proof leads to the root in the trusted header',
    at: 'shared/domain/evidence/receipt-proof.ts#findProvenReceipt',
    take: 'createMPTFromProof(proof, { root: hexToBytes(root) })',
    put: 'createMPTFromProof(proof)',
    test: { file: CLIENT, title: 'refuses the proof of a receipt in another block' },
  },
  {
    rule: 'a failed transaction does not prove a payment',
    at: `${VERIFY}#proveLogs`,
    take: 'receipt.isSuccess,',
    put: 'true,',
    test: { file: CLIENT, title: 'refuses a failed transaction' },
  },
  {
    rule: 'a transaction counts once, even if a file lists it twice',
    at: `${VERIFY}#requireDistinct`,
    take: 'new Set(keys).size === keys.length',
    put: 'new Set(keys).size <= keys.length',
    test: { file: CLIENT, title: 'a transaction that is listed twice' },
  },
  {
    rule: 'a log counts once, even if a file lists it twice',
    at: `${LOGS}#verifyLogs`,
    take: 'new Set(positions).size === positions.length',
    put: 'new Set(positions).size <= positions.length',
    test: { file: CLIENT, title: 'a log that is listed twice' },
  },
  {
    rule: 'a token is identified by its contract, because anyone can create a token with any name',
    at: `${LOGS}#identifyToken`,
    take: 'requireCondition(isTrusted,',
    put: 'requireCondition(isTrusted || true,',
    test: { file: CLIENT, title: 'refuses a token that is neither built in nor named by the caller' },
  },
  {
    rule: 'the contract that logged a payment must be the token',
    at: `${LOGS}#verifyLog`,
    take: 'proven.address === address',
    put: 'proven.address !== null',
    test: { file: CLIENT, title: 'refuses a transfer that another contract logged' },
  },
  {
    rule: 'a payment must go to the address of the charge',
    at: `${LOGS}#verifyLog`,
    take: 'proven.topics.join() === topics.join()',
    put: 'proven.topics.length === topics.length',
    test: { file: CLIENT, title: 'a transfer to another account as the payment' },
  },
  {
    rule: 'money that returns from the split is not a payment',
    at: `${LOGS}#requireParty`,
    take: 'requireCondition(!isOwn,',
    put: 'requireCondition(!isOwn || true,',
    test: { file: CLIENT, title: "refuses the split's own money as a payment" },
  },
  {
    rule: 'the daemon stores only proofs that lead to the root in the header',
    at: 'indexer/evidence/prove-receipts.ts#findMatchingTrie',
    take: 'if (trie.root === root)',
    put: "if (trie.root !== '0x')",
    test: { file: PROOFS, title: 'returns no proof from receipts that a node has changed' },
  },
  {
    rule: 'the daemon stores only headers whose hash is the block’s',
    at: 'shared/domain/evidence/encode-header.ts#encodeHeader',
    take: 'return keccak256(header) === hash ? header : null',
    put: 'return hash === header ? null : header',
    test: { file: PROOFS, title: 'returns no proof from a header that a node has changed' },
  },
  {
    rule: 'a proof is stored only if its receipt has the counted logs, because a node could swap the hashes of two receipts',
    at: 'indexer/evidence/prove-receipts.ts#hasLogs',
    take: 'log !== undefined && toText(log) === toText(expected)',
    put: 'log !== undefined || toText(expected) !== ""',
    test: { file: PROOFS, title: 'returns no proof from a node that swaps the hashes of two transactions' },
  },
  {
    rule: 'evidence must be about the shown address, because anyone can create an address for the same id',
    at: `${VERIFY}#verifyTerms`,
    take: 'expected === terms.address,',
    put: 'expected !== undefined,',
    test: { file: CLIENT, title: 'refuses evidence about an address other than the caller’s' },
  },
  {
    rule: 'texts that are printed next to proven facts have a fixed format, so that they contain no sentences',
    at: 'api/client/read-evidence.ts#readPattern',
    take: "typeof value === 'string' && pattern.test(value)",
    put: "typeof value === 'string' && pattern.source !== ''",
    test: { file: CLIENT, title: 'refuses sentences in fields' },
  },
  {
    rule: 'a chain whose headers do not commit to receipts cannot prove a log',
    at: `${VERIFY}#requireProvable`,
    take: 'CHAIN_FAMILIES[family].provesReceipts,',
    put: 'CHAIN_FAMILIES[family] !== undefined,',
    test: { file: CLIENT, title: 'refuses a proof for a charge on a network whose headers' },
  },
  {
    rule: 'a single node does not end the attempts to prove a payment, because it may lie about the header',
    at: 'indexer/evidence/is-final-failure.ts#isFinalFailure',
    take: 'return isUnanimous || attempts >= MAX_ATTEMPTS',
    put: 'return isUnanimous || attempts >= 1',
    test: {
      file: FINAL,
      title: 'ends the attempts at an unknown header only if every node returns it, as one might invent it',
    },
  },
  {
    rule: 'a recent block that nodes do not have yet is requested again',
    at: 'indexer/evidence/is-final-failure.ts#isFinalFailure',
    take: 'isUnanimous && blockTimestamp < nowMs / 1_000 - OLD_SECONDS',
    put: 'isUnanimous && blockTimestamp < nowMs / 1_000',
    test: {
      file: FINAL,
      title: 'ends the attempts if every node lacks an old block, but not if they lack a recent block',
    },
  },
  {
    rule: 'a block request that a node’s budget does not allow is not a failure of the node',
    at: 'indexer/evidence/query-in-turn.ts#queryInTurn',
    take: 'if (isOverBudget(error)) isUnsent = true',
    put: 'if (isOverBudget(error)) health.noteFailure(node.name)',
    test: { file: TURN, title: 'queries the next node if a node’s request budget is exhausted, which' },
  },
  {
    rule: 'an attempt that a budget prevented does not count as an attempt to prove a payment',
    at: 'indexer/evidence/prove-due.ts#prove',
    take: 'answer.isUnsent && !isIndependentOfNodes(result.reason)',
    put: 'answer.isUnsent && isIndependentOfNodes(result.reason)',
    test: { file: STORED, title: 'does not count an attempt that the node’s request budget prevented' },
  },
  {
    rule: 'an attempt to prove a payment that ends before its request is sent was prevented by a budget',
    at: 'indexer/evidence/receipt-prover.ts#createReceiptProver',
    take: 'const isUnsent = isWaiting()',
    put: 'const isUnsent = false',
    test: { file: THREAD, title: 'reports an exceeded node budget if the pacer rejects a request' },
  },
  {
    rule: 'each attempt to prove a payment begins with another node, because one may lie about the receipts',
    at: 'indexer/evidence/query-in-turn.ts#queryInTurn',
    take: '(attempt - 1) % nodes.length',
    put: '(attempt - attempt) % nodes.length',
    test: {
      file: TURN,
      title: 'stops if receipts do not match the header, and starts the next attempt with the next node',
    },
  },
  {
    rule: 'a proof has at most 28 KiB, unless its receipt has many logs, because strangers choose the size of a receipt',
    at: 'shared/domain/evidence/receipt-proof.ts#getMaxProofBytes',
    take: 'logs <= SMALL_RECEIPT_LOGS',
    put: 'logs < 0',
    test: {
      file: PROOFS,
      title: 'returns no proof above 28 KiB, or above 128 KiB for a receipt of more than 100 logs',
    },
  },
  {
    rule: 'a block that exceeds the memory of the thread does not end the daemon, which also credits payments',
    at: 'indexer/evidence/receipt-prover.ts#startWorker',
    take: 'maxOldGenerationSizeMb: maxHeapMb',
    put: 'maxOldGenerationSizeMb: 64 * maxHeapMb',
    test: {
      file: THREAD,
      title: 'fails the proof, but not the process, if a block exceeds the thread’s memory',
    },
  },
  {
    rule: 'the number of proofs of dust per charge is limited, because strangers can send any number of payments',
    at: 'shared/db/evidence/daemon/counted-logs.ts#listExcessiveDust',
    take: 'having sum(amount_atto) < ${DOLLAR}::numeric',
    put: 'having sum(amount_atto) < 0 * ${DOLLAR}::numeric',
    test: { file: STORED, title: 'at most 20 payments below a dollar' },
  },
  {
    rule: 'payments that were counted without a proof task are proven later',
    at: 'shared/db/evidence/daemon/missing-proof-tasks.ts#insertMissingProofTasks',
    take: 'where s.is_counted and',
    put: 'where not s.is_counted and',
    test: { file: STORED, title: 'later proves a payment that was credited before' },
  },
]
