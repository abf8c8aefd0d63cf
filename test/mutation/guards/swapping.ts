import type { Mutant } from '../mutant.ts'

const CLIENT = 'test/unit/client/pay-with-swap.test.ts'
const LYING = 'test/integration/swap/lying-provider.test.ts'
const QUOTE = 'test/integration/swap/quote.test.ts'
const OFFER = 'api/swap/find-offer-problem.ts'
const SETTLER = 'api/swap/0x/find-settler-problem.ts'
const PLAN = 'api/charges/quote/plan-quote.ts'

/** A swap provider is not trusted with the destination of the money. */
export const SWAPPING_RULES: readonly Mutant[] = [
  {
    rule: 'a swap pays exactly the address of the charge',
    file: SETTLER,
    take: "  if (getWord(data, 0) !== encodeAddress(ask.recipient)) return 'pays another recipient'\n",
    put: "  if (!data.includes(ask.recipient.slice(2))) return 'pays another recipient'\n",
    test: { file: LYING, title: 'pays another recipient, and names the charge elsewhere in the data' },
  },
  {
    rule: 'a swap pays the requested token',
    file: SETTLER,
    take: "  if (getWord(data, 1) !== encodeAddress(ask.buyToken)) return 'pays another token'\n",
    put: '',
    test: { file: LYING, title: 'pays another token' },
  },
  {
    rule: 'a swap pays the requested amount',
    file: SETTLER,
    take: "getWord(data, 2) === encodeAmount(ask.buyAtomic) ? null : 'pays another amount'",
    put: 'null',
    test: { file: LYING, title: 'pays less' },
  },
  {
    rule: 'a swap calls a settler of the registry',
    file: SETTLER,
    take: '  if (to !== settlers.current && to !== settlers.previous) return `calls ${to}, which is not a settler`\n',
    put: '',
    test: { file: LYING, title: 'calls a contract that is not a settler' },
  },
  {
    rule: 'a swap calls only the one known function of a settler',
    file: SETTLER,
    take: '  if (data.slice(0, 10) !== EXECUTE_SELECTOR) return `calls ${data.slice(0, 10)}, not ${EXECUTE_SELECTOR}`\n',
    put: '',
    test: { file: LYING, title: 'calls another function of the settler' },
  },
  {
    rule: 'a paused settler is never called',
    file: 'api/swap/0x/create-provider.ts',
    take: "      if (settlers === null) return reject('has no settler that our nodes could read')\n",
    put: '',
    test: { file: LYING, title: 'has paused its settlers' },
  },
  {
    rule: 'a swap sends exactly the stated amount of the native coin',
    file: OFFER,
    take: '  if (transaction.valueWei !== valueWei) return `sends ${transaction.valueWei} wei, not ${valueWei}`\n',
    put: '',
    test: { file: LYING, title: 'sends more of the coin than stated' },
  },
  {
    rule: 'a permit is for the called settler',
    file: OFFER,
    take: '  if (permit.spender !== offer.transaction.to)\n    return `permits ${permit.spender} to spend, not ${offer.transaction.to}`\n',
    put: '',
    test: { file: LYING, title: 'allows another account to spend' },
  },
  {
    rule: 'a permit is for the maximum cost of the quote',
    file: OFFER,
    take: '  if (permit.amountAtomic !== offer.maxSellAtomic)\n    return `permits ${permit.amountAtomic}, not ${offer.maxSellAtomic}`\n',
    put: '',
    test: { file: LYING, title: 'permits more than stated' },
  },
  {
    rule: 'a permit is for the sold token',
    file: OFFER,
    take: '  if (permit.token !== sellToken.address) return `permits ${permit.token}, not ${sellToken.address}`\n',
    put: '',
    test: { file: LYING, title: 'permits another token' },
  },
  {
    rule: 'the service computes the hash of a permit itself',
    file: OFFER,
    take: "hashPermit(permit, chainId) === permit.hash ? null : 'permit2 does not match its hash'",
    put: 'null',
    test: { file: LYING, title: 'changes the nonce after hashing' },
  },
  {
    rule: 'a permit has not expired',
    file: OFFER,
    take: "  if (permit.deadline * 1000n <= BigInt(terms.now.getTime())) return 'permit2 has expired'\n",
    put: '',
    test: { file: LYING, title: 'permits until a time in the past' },
  },
  {
    rule: 'our fee of a swap does not exceed the configured one',
    file: OFFER,
    take: 'fee > allowed ? `takes ${fee} as our fee, above ${allowed}` : null',
    put: 'null',
    test: { file: LYING, title: 'takes more than the configured fee' },
  },
  {
    rule: 'fees of a swap are in the output token',
    file: OFFER,
    take: '  if (foreign) return `takes a fee in ${foreign.token}, not in ${buyToken}`\n',
    put: '',
    test: { file: LYING, title: 'takes its own fee in another token' },
  },
  {
    rule: 'a sale of an exact amount is not a purchase of an exact amount',
    file: 'api/swap/0x/read-quote.ts',
    take: "  mode: Type.Literal('exact-out'),\n",
    put: '',
    test: { file: LYING, title: 'quotes an exact sale' },
  },
  {
    rule: 'only known error names of a provider are logged',
    file: 'api/swap/0x/request-api.ts',
    take: " && ERROR_NAMES.has(name) ? ` ${name}` : ''",
    put: " ? ` ${name}` : ''",
    test: { file: LYING, title: 'echoes our API key' },
  },
  {
    rule: 'a provider that is down is not called for a while',
    file: 'api/swap/circuit-breaker.ts',
    take: '      if (outages >= MAX_OUTAGES) openUntilMs = nowMs() + OPEN_MS\n',
    put: '',
    test: { file: LYING, title: 'fails five times in a row' },
  },
  {
    rule: 'the amount due is read again after the provider has responded',
    file: 'api/charges/quote/quote-charge.ts',
    take: 'if (isSamePlan(plan, next)) return',
    put: 'return',
    test: { file: QUOTE, title: 'is requested again for the new amount due' },
  },
  {
    rule: 'a swap buys the amount due, rounded up',
    file: PLAN,
    take: 'buyAtomic: attoToAtomicCeil(remaining, contract.decimals)',
    put: 'buyAtomic: (attoToAtomicCeil(remaining, contract.decimals) - 1n) as never',
    test: { file: QUOTE, title: 'rounded up to the smallest unit' },
  },
  {
    rule: 'a charge past its deadline gets no quote',
    file: PLAN,
    take: '  if (charge.expiresAt <= now)\n',
    put: '  if (charge.expiresAt <= new Date(0))\n',
    test: { file: QUOTE, title: 'expires no later than the permit and the charge' },
  },
  {
    rule: 'a payer’s wallet lets only Permit2 spend a token',
    file: 'api/client/pay-with-swap.ts',
    take: '  if (allowanceTarget?.toLowerCase() !== PERMIT2)\n',
    put: '  if (allowanceTarget === null)\n',
    test: { file: CLIENT, title: 'requests an approval for another spender' },
  },
  {
    rule: 'a payer’s wallet permits only the values that the quote shows',
    file: 'api/client/pay-with-swap.ts',
    take: '  if (difference !== null) throw new QuoteMismatch(difference)\n',
    put: '',
    test: { file: CLIENT, title: 'hides another type behind honest values' },
  },
  {
    rule: 'a payer’s wallet spends at most the quoted amount on a swap',
    file: 'api/client/pay-with-swap.ts',
    take: '  if (BigInt(requested) > max)',
    put: '  if (BigInt(requested) < 0n)',
    test: { file: CLIENT, title: 'permits more than it shows' },
  },
  {
    rule: 'a paused pair is not paid by a swap',
    file: 'shared/domain/swap/swap-alternatives.ts',
    take: ' && !offering.pausedPayments.has(pairKey(pair))',
    put: '',
    test: { file: QUOTE, title: 'omits a network immediately if all its pairs are paused' },
  },
]
