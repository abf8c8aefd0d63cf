import type { Mutant } from '../mutant.ts'

const SIGNATURES = 'test/unit/domain/authorization.test.ts'
const FORMS = 'test/unit/domain/parse-authorization.test.ts'
const X402 = 'test/unit/api/handle-x402.test.ts'
const X402_API = 'test/integration/api/x402.test.ts'
const TOKENS = 'test/integration/chain/authorizations.test.ts'

/** Which signatures of payers are accepted, and when one is requested. */
export const SIGNING_RULES: readonly Mutant[] = [
  {
    rule: 'a signature that the token would reject is invalid, because we would pay for its revert',
    at: 'shared/domain/recover-key-signer.ts#recoverKeySigner',
    take: 's > MAX_S || (v !== 27 && v !== 28)',
    put: 'v > 28',
    test: {
      file: SIGNATURES,
      title: 'returns null for v 0 or 1, a high s, another length or an r above the curve order',
    },
  },
  {
    rule: 'signed data is hashed with the id of its chain',
    at: 'shared/domain/eip3009/authorization.ts#authorizationHash',
    take: '...domain, chainId,',
    put: '...domain, chainId: 1,',
    test: {
      file: SIGNATURES,
      title: 'has the same hash in our code, viem and ethers, and the same signature in viem and ethers',
    },
  },
  {
    rule: 'an undeployed contract’s signature is rejected, because its factory would run at our cost',
    at: 'shared/domain/eip3009/parse-authorization.ts#findSignatureProblem',
    take: 'text.endsWith(UNDEPLOYED_SUFFIX)',
    put: 'text === UNDEPLOYED_SUFFIX',
    test: {
      file: FORMS,
      title: 'rejects an ERC-6492 signature, which is for a contract that is not deployed',
    },
  },
  {
    rule: 'the size of a number is checked before it is used',
    at: 'shared/domain/eip3009/parse-authorization.ts#parseUint',
    take: 'return number > MAX_UINT256 ? null : number',
    put: 'return number',
    test: { file: FORMS, title: 'rejects a number of 257 bits' },
  },
  {
    rule: 'no second signature is requested while the outcome of the first signature is unknown',
    at: 'api/charges/pay-by-signature/x402/handle-x402.ts#handleX402',
    take: 'if (reason !== null) return requestPayment(ctx, charge, error)',
    put: 'if (reason !== undefined) return requestPayment(ctx, charge, error)',
    test: { file: X402, title: 'never requests a payment again after an error that the signature did' },
  },
  {
    rule: 'x402 does not request a payment while a signature is in flight',
    at: 'api/charges/pay-by-signature/x402/handle-x402.ts#requirePairs',
    take: 'setRetryAfter(ctx, error)',
    put: "ctx.status = 402\nif (error.code === 'payment_in_progress') return []",
    test: {
      file: X402,
      title: 'does not request a payment while a signature is in flight, and sets Retry-After',
    },
  },
  {
    rule: 'submissions to the daemon count against the limit of their charge, from any IP address',
    at: 'api/charges/pay-by-signature/submit-authorization.ts#submitAuthorization',
    take: 'await limit?.()',
    put: '',
    test: { file: X402_API, title: 'reaches the daemon at most thirty times a minute per charge,' },
  },
  {
    rule: 'an invalid signature does not count against a charge’s limit',
    at: 'api/checkout/pay-by-x402.ts#payByX402',
    take: 'limit: () => rateLimitAddress(ctx, deps)',
    put: 'limit',
    test: {
      file: X402_API,
      title: 'reaches the daemon despite more than thirty invalid submissions for the',
    },
  },
  {
    rule: 'submissions without an API key do not use up a charge’s limit for submissions with one',
    at: 'api/charges/pay-by-signature/rate-limit-submissions.ts#KEYED_SUBMISSION_LIMIT',
    take: "bucket: 'signature_by_key'",
    put: "bucket: 'signature'",
    test: { file: X402_API, title: 'is accepted with a key even if the quota for submissions without a key' },
  },
  {
    rule: 'no signature is requested if the token hashes another signing domain',
    at: 'shared/chain/eip3009/check-authorization-domain.ts#readCheck',
    take: "separator === authorizationSeparator(terms) ? 'match' : 'differ'",
    put: "'match'",
    test: { file: TOKENS, title: 'matches the domain that its domain separator commits to' },
  },
]
