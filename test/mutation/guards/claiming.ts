import type { Mutant } from '../mutant.ts'

const CLAIMS = 'test/integration/refunds/claims.test.ts'
const PAGE = 'test/integration/refunds/claim-page.test.ts'

/**
 * The payer names the destination of a refund once, through their own link, and the merchant approves it (decisions
 * 9.6).
 */
export const CLAIMING_RULES: readonly Mutant[] = [
  {
    rule: 'an approval repeats the address that the payer gave',
    at: 'indexer/refunds/decide-claim.ts#requireClaimed',
    take: 'if (claim.destination === address) return',
    put: 'if (claim.destination !== null) return',
    test: {
      file: CLAIMS,
      title:
        'is not paid if the merchant approves a different address, or approves before the payer gives one',
    },
  },
  {
    rule: 'a canceled or expired refund is not approved again',
    at: 'indexer/refunds/decide-claim.ts#isApproved',
    take: "['awaiting_payment', 'seen', 'confirmed'].includes(status)",
    put: "status !== 'awaiting_approval'",
    test: { file: CLAIMS, title: 'is not approved again after the merchant has canceled the refund' },
  },
  {
    rule: 'an approved refund is not approved again for another address',
    at: 'indexer/refunds/decide-claim.ts#isApproved',
    take: 'return destination === address && ',
    put: 'return destination !== null && address !== null && ',
    test: {
      file: CLAIMS,
      title:
        'stays approved if the approval is repeated after the transfer was seen and after it was confirmed',
    },
  },
  {
    rule: 'a transfer before the approval does not pay a refund',
    at: 'indexer/refunds/decide-claim.ts#approveDestination',
    take: 'await withinTime(readNewestHead(deps, known.chainId))',
    put: 'Number(known.chainId === 0)',
    test: {
      file: CLAIMS,
      title: 'is paid at the address that they gave, by a transfer after the approval',
    },
  },
  {
    rule: 'the database requires an approval before a refund gets its destination',
    at: 'shared/db/migrations/000026_refund_claims.sql',
    take: 'if old.destination is not null or not exists (',
    put: 'if old.destination is not null and not exists (',
    test: {
      file: CLAIMS,
      title: 'gets a destination in the database only with an approval, and cannot change it afterwards',
    },
  },
  {
    rule: 'the database stores at most one unrejected address per refund',
    at: 'shared/db/migrations/000026_refund_claims.sql',
    take: 'create unique index refund_claims_one on refund_claims',
    put: 'create index refund_claims_one on refund_claims',
    test: {
      file: CLAIMS,
      title: 'gets a destination in the database only with an approval, and cannot change it afterwards',
    },
  },
  {
    rule: 'a link accepts one address',
    at: 'indexer/refunds/claim-destination.ts#lockClaimable',
    take: 'refund.claim?.destination === claim.destination',
    put: 'refund.claim !== null',
    test: {
      file: CLAIMS,
      title: 'can give one address, and a different one only after a rejection, with the new link',
    },
  },
  {
    rule: 'a link that was replaced does not accept an address',
    at: 'indexer/refunds/claim-destination.ts#lockClaimable',
    take: '!== claim.claimHash',
    put: '=== null',
    test: {
      file: CLAIMS,
      title: 'cannot give an address with a replaced link or an unknown link',
    },
  },
  {
    rule: 'a link does not accept an address after the deadline',
    at: 'indexer/refunds/claim-destination.ts#lockClaimable',
    take: 'const isOver = now >= refund.expiresAt',
    put: 'const isOver = now < refund.createdAt',
    test: {
      file: CLAIMS,
      title: 'cannot give an address after the deadline, even if the daemon has not expired the refund yet',
    },
  },
  {
    rule: 'the payer cannot give an address that the merchant may not name',
    at: 'indexer/refunds/claim-destination.ts#insertClaimOf',
    take: "await requireDestination(db, { charge, refund, destination, contracts, onlyToPayers, param: 'destination' })",
    put: 'void contracts',
    test: { file: CLAIMS, title: 'cannot give an address that the merchant may not name either' },
  },
  {
    rule: 'only an account that paid can sign for the address',
    at: 'indexer/refunds/claim-destination.ts#verify',
    take: 'if (!(await isPayer(',
    put: "if (id === '' && !(await isPayer(",
    test: {
      file: CLAIMS,
      title:
        'cannot prove the claim with the key of an account that did not pay, or by naming an account that did not sign',
    },
  },
  {
    rule: 'only an account that sent the whole amount of a refund can sign for the address',
    at: 'shared/db/refunds/daemon/refund-claims.ts#isPayer',
    take: 'having sum(t.value_atomic) >=',
    put: 'having sum(t.value_atomic) * 1000000000000 >=',
    test: {
      file: CLAIMS,
      title:
        'cannot prove the claim with the key of an account that sent less than the refund, or sent it after the declaration',
    },
  },
  {
    rule: 'refunds go only to accounts that sent the amount, if the operator requires it',
    at: 'indexer/refunds/require-destination.ts#findPayerProblem',
    take: 'if (!onlyToPayers || refund.chainId === null) return null',
    put: "if (onlyToPayers || refund.chainId !== '') return null",
    test: {
      file: CLAIMS,
      title: 'is paid only at an account that sent the amount, if the operator requires it',
    },
  },
  {
    rule: 'a payment after the declaration does not prove a claim',
    at: 'shared/db/refunds/daemon/refund-claims.ts#isPayer',
    take: 't.credited_at <',
    put: "t.credited_at is not null and 'infinity'::timestamptz >",
    test: {
      file: CLAIMS,
      title:
        'cannot prove the claim with the key of an account that sent less than the refund, or sent it after the declaration',
    },
  },
  {
    rule: 'a claim with a signature that was not verified is not inserted',
    at: 'indexer/refunds/claim-destination.ts#claimDestination',
    take: "if (known.claim !== null) return { outcome: 'done', refundId: claim.refundId, isReplay: true }\n  if (claim.signed !== null)",
    put: 'if (known.claim === null && claim.signed !== null)',
    test: {
      file: CLAIMS,
      title: 'cannot prove the claim with an unverified signature that is sent with a repeated address',
    },
  },
  {
    rule: 'a rejection replaces the link with a new link',
    at: 'indexer/refunds/decide-claim.ts#rejectDestination',
    take: '=== of.claimHash)',
    put: '=== null)',
    test: {
      file: CLAIMS,
      title: 'can give one address, and a different one only after a rejection, with the new link',
    },
  },
  {
    rule: 'no link is renewed after the deadline',
    at: 'indexer/refunds/decide-claim.ts#renewClaimLink',
    take: "if (status !== 'awaiting_destination' || isOver)",
    put: "if (status !== 'awaiting_destination' || (isOver && status === null))",
    test: {
      file: CLAIMS,
      title: 'does not get a new link after the deadline, even if the daemon has not expired the refund yet',
    },
  },
  {
    rule: 'no address is approved after the deadline',
    at: 'indexer/refunds/decide-claim.ts#requireClaimed',
    take: 'const isOver = now >= expiresAt',
    put: 'const isOver = now.getTime() === 0 * expiresAt.getTime()',
    test: {
      file: CLAIMS,
      title: 'does not get an approval after the deadline, even if the daemon has not expired the refund yet',
    },
  },
  {
    rule: 'an approval sends an event, so that the merchant notices a stolen key',
    at: 'machines/refund.ts#refundMachine',
    take: "['fixDestination', 'announceApproved']",
    put: "['fixDestination']",
    test: {
      file: CLAIMS,
      title: 'is paid at the address that they gave, by a transfer after the approval',
    },
  },
  {
    rule: 'whether a refund has expired is decided under its lock',
    at: 'indexer/refunds/record-transfer.ts#recordDeadline',
    take: '(await isDueRefund(db, refund.id)) ?',
    put: '(await isDueRefund(db, refund.id)) || refund.id !== `` ?',
    test: {
      file: CLAIMS,
      title: 'keeps a refund that the merchant approves while the daemon is about to expire it',
    },
  },
  {
    rule: 'the key of a contract’s address does not prove a claim',
    at: 'indexer/refunds/verify-claim.ts#requireSignedClaim',
    take: "(isByKey && value !== 'rejected by contract')",
    put: 'isByKey',
    test: {
      file: CLAIMS,
      title:
        'cannot prove the claim with the key of a contract account, unless the account only delegates (EIP-7702)',
    },
  },
  {
    rule: 'a contract accepts a signature only by returning the whole word of ERC-1271',
    at: 'indexer/refunds/verify-claim.ts#isAccepted',
    take: 'data === MAGIC',
    put: 'data !== undefined',
    test: {
      file: CLAIMS,
      title:
        'cannot prove the claim if the contract rejects the signature, or if only one of two nodes shows the acceptance',
    },
  },
  {
    rule: 'a call that halts in a payer’s contract is not a node failure',
    at: 'indexer/refunds/verify-claim.ts#isAccepted',
    take: 'hasReverted(error) || hasHalted(error)',
    put: 'hasReverted(error) || (hasHalted(error) && error === null)',
    test: {
      file: CLAIMS,
      title:
        'cannot prove the claim if the contract halts or uses all gas, which is not taken for a node failure',
    },
  },
  {
    rule: 'a signed claim names its charge, address, network, token, amount, link and deadline',
    at: 'shared/domain/refund/refund-claim.ts#buildMessage',
    take: 'claimNonce: BigInt(`0x${terms.claimHash}`)',
    put: 'claimNonce: 0n',
    test: {
      file: 'test/unit/domain/refund-claim.test.ts',
      title: 'commits to charge, address, network, token, amount, link, deadline, chain and host',
    },
  },
  {
    rule: 'the client does not approve a refund of another charge, pair or wallet',
    at: 'api/client/request-refund.ts#approveRefund',
    take: 'requireTerms({ ...wanted, body }, await readRefund(api, refundId))',
    put: 'await readRefund(api, refundId)',
    test: {
      file: 'test/unit/client/request-refund.test.ts',
      title: 'does not approve a refund of another charge, pair or wallet',
    },
  },
  {
    rule: 'the client does not reject an address of another charge',
    at: 'api/client/request-refund.ts#rejectClaim',
    take: "requireSame('charge', { expected: chargeId, found: known.chargeId })",
    put: 'void [chargeId, known]',
    test: {
      file: 'test/unit/client/request-refund.test.ts',
      title: 'does not reject the address of another charge’s refund',
    },
  },
  {
    rule: 'a claim holds its slot until its requests to nodes end',
    at: 'indexer/refunds/within-time.ts#withinTime',
    take: 'await query',
    put: 'await Promise.race([query, Promise.resolve(null as Result)])',
    test: {
      file: 'test/unit/refunds/within-time.test.ts',
      title: 'rejects a late result, but only once the query has ended',
    },
  },
  {
    rule: 'a claim is not recorded after a response has denied it',
    at: 'indexer/refunds/within-time.ts#withinTime',
    take: 'if (performance.now() - startedAt <= maxMs) return',
    put: 'if (startedAt >= 0 || maxMs >= 0) return',
    test: {
      file: 'test/unit/refunds/within-time.test.ts',
      title: 'rejects a late result, but only once the query has ended',
    },
  },
  {
    rule: 'visitors can send at most five addresses a minute for a charge',
    at: 'api/checkout/claim/send-claim.ts#PER_CHARGE',
    take: 'quota: 5,',
    put: 'quota: 500,',
    test: {
      file: PAGE,
      title: 'accepts five submissions of an address a minute for a charge, from all IP addresses together',
    },
  },
  {
    rule: 'a link opens the refund of its own charge only',
    at: 'shared/db/refunds/api/refunds-read.ts#findRefundByLink',
    take: 'r.charge_id = ${chargeId} and r.claim_hash',
    put: 'r.charge_id <> ${chargeId + 1} and r.claim_hash',
    test: { file: PAGE, title: 'opens only with the complete link, and otherwise reveals nothing' },
  },
  {
    rule: 'the page of a refund is never framed',
    at: 'api/checkout/claim/serve-claim.ts#findClaimResource',
    take: 'isForm: true, isNeverFramed: true',
    put: 'isForm: true, isNeverFramed: false',
    test: { file: PAGE, title: 'forbids framing, caching and indexing, and sends no referrer' },
  },
  {
    rule: 'logs and metrics do not contain the secret of a link',
    at: 'api/checkout/claim/serve-claim.ts#findClaimResource',
    take: "path: '/refund/:claim'",
    put: 'path',
    test: {
      file: PAGE,
      title: 'has a secret that is in one response only, and in no event, row or log',
    },
  },
  {
    rule: 'the secret of a link is stored as a hash',
    at: 'shared/domain/refund/claim-secret.ts#hashClaimSecret',
    take: "createHash('sha256').update(secret).digest('hex')",
    put: 'Buffer.from(secret).toString(`hex`).padEnd(64, `0`)',
    test: {
      file: PAGE,
      title: 'has a secret that is in one response only, and in no event, row or log',
    },
  },
]
