import type { Mutant } from '../mutant.ts'

const ARCHIVE = 'test/unit/client/exit/read-archive.test.ts'
const EVM_SENDER = 'test/unit/client/exit/evm-sender.test.ts'
const SENDING = 'test/unit/client/exit/send-plan.test.ts'

/** `svc exit` pays a merchant without the service, and trusts neither the archive nor the nodes. */
export const LEAVING_RULES: readonly Mutant[] = [
  {
    rule: 'the address of an archived charge follows from its terms',
    at: 'api/client/check-address.ts#checkTerms',
    take: "requireSame('address', address, { expected: presentAddress(payTo, family), of: 'the terms' })",
    put: '',
    test: { file: ARCHIVE, title: 'a charge with another address' },
  },
  {
    rule: 'the split of an archived charge follows from its terms',
    at: 'api/client/check-address.ts#checkTerms',
    take: "requireSame('addressTerms.splitAddress', terms.splitAddress, { expected: presentAddress(splitAddress, family), of: 'the terms', })",
    put: '',
    test: { file: ARCHIVE, title: 'a charge with another split' },
  },
  {
    rule: 'only the pinned factory deploys the split of an archived charge',
    at: 'api/client/check-address.ts#checkTerms',
    take: "requireKnown('addressTerms.factory', terms.factory, { known: factory, family })",
    put: '',
    test: { file: ARCHIVE, title: 'a charge with another factory' },
  },
  {
    rule: 'the address of an escrow charge is a Safe',
    at: 'api/client/check-address.ts#requireReleaser',
    take: 'safe === null && escrow === null',
    put: 'safe === null',
    test: { file: 'test/unit/client/check-address.test.ts', title: 'rejects an escrow without a Safe' },
  },
  {
    rule: 'a truncated webhook secret is not a key',
    at: 'api/client/verify-webhook.ts#isWebhookSecret',
    take: '{43}=',
    put: '+={0,2}',
    test: {
      file: 'test/unit/client/verify-webhook.test.ts',
      title: 'rejects a truncated secret, which would decode to an empty key',
    },
  },
  {
    rule: 'a file without webhook secrets is refused, because unsigned records would count',
    at: 'api/client/commands/exit.ts#readSecretsFile',
    take: 'if (secrets.length > 0) return secrets',
    put: 'if (secrets.length >= 0) return secrets',
    test: {
      file: 'test/unit/client/exit/secrets-file.test.ts',
      title: 'is refused if it contains no secret',
    },
  },
  {
    rule: 'if webhook secrets are given, an archived webhook counts only with its signature',
    at: 'api/client/exit/read-archive.ts#verifySignature',
    take: 'secrets.length === 0',
    put: 'secrets.length >= 0',
    test: {
      file: ARCHIVE,
      title:
        'requires a signature of any age if secrets are given, except from responses that may be unsigned',
    },
  },
  {
    rule: 'an exit does not pay a distributor',
    at: 'api/client/exit/payment.ts#listPayments',
    take: 'distributor: ANY_DISTRIBUTOR',
    put: 'distributor: to',
    test: {
      file: 'test/property/exit-charge.test.ts',
      title: 'result only in calls that pay the recipients in their terms, and no distributor',
    },
  },
  {
    rule: 'an exit pays only charges whose terms name a payout address of the merchant',
    at: 'api/client/exit/select-charges.ts#selectCharges',
    take: 'charges: all.filter(isOurs)',
    put: 'charges: all',
    test: {
      file: 'test/unit/client/exit/select-charges.test.ts',
      title: 'skips charges whose terms do not name a payout address',
    },
  },
  {
    rule: 'an exit uses a node only for the chain whose id the node reports',
    at: 'api/client/exit/exit-chain.ts#findServed',
    take: 'one.chainId === chainId',
    put: 'true',
    test: {
      file: 'test/unit/client/exit/connect-chains.test.ts',
      title: 'rejects a node that serves an unknown chain',
    },
  },
  {
    rule: 'an exit rejects an escrow whose records name different splits',
    at: 'api/client/exit/read-archive.ts#findDisputed',
    take: 'if (claim.length === 1) return []',
    put: 'if (claim.length > 0) return []',
    test: { file: ARCHIVE, title: 'rejects all records of an escrow that name different splits' },
  },
  {
    rule: 'an exit prepares an order for an escrow only if its terms are signed or confirmed',
    at: 'api/client/exit/escrow-order.ts#listEscrows',
    take: 'charge.isSigned || confirmed.includes(charge.splitAddress)',
    put: 'true',
    test: {
      file: 'test/unit/client/exit/escrow-order.test.ts',
      title: 'exist only if the terms are signed or the user has confirmed the split',
    },
  },
  {
    rule: 'an exit pays bounded fees, regardless of the fee that a node suggests',
    at: 'api/client/exit/evm-sender.ts#createEvmSender',
    take: 'const fees = await chooseFees()',
    put: 'const fees = await client.estimateFeesPerGas()',
    test: {
      file: 'test/unit/client/exit/evm-sender.test.ts',
      title: 'signs its own chain id, nonce, gas and bounded fees',
    },
  },
  {
    rule: 'an exit does not pay gas for dust',
    at: 'api/client/exit/payment-worth.ts#findWorthlessReason',
    take: "isBelow ? 'below --minimum' : null",
    put: 'isBelow ? null : null',
    test: {
      file: 'test/unit/client/exit/payment-worth.test.ts',
      title: 'returns a reason if the merchant’s share is below the minimum',
    },
  },
  {
    rule: 'an exit waits for the transactions of an earlier run',
    at: 'api/client/exit/evm-sender.ts#createEvmSender',
    take: 'sent <= mined',
    put: 'sent >= mined',
    test: { file: EVM_SENDER, title: 'waits until the transactions of an earlier run are mined' },
  },
  {
    rule: 'an exit signs with the nonce for which it has planned',
    at: 'api/client/exit/evm-sender.ts#createEvmSender',
    take: 'let { nonce } = order',
    put: 'let nonce = await untilIdle(address)',
    test: { file: EVM_SENDER, title: 'signs its own chain id, nonce, gas and bounded fees' },
  },
  {
    rule: 'an exit records a hash before the transaction is broadcast',
    at: 'shared/chain/nodes/send-signed.ts#sendSigned',
    take: 'onSigned?.(txHash)',
    put: '',
    test: {
      file: EVM_SENDER,
      title: 'reports the hash of a transaction even if the response to its broadcast is lost',
    },
  },
  {
    rule: 'an exit plans again before it sends',
    at: 'api/client/exit/send-plan.ts#attemptPlan',
    take: 'attempt.planned = plan',
    put: '',
    test: {
      file: SENDING,
      title: 'sends only the payments that remain after the account’s earlier transactions are mined',
    },
  },
  {
    rule: 'an exit limits its total cost on EVM chains',
    at: 'api/client/exit/evm-sender.ts#createEvmSender',
    take: 'costLimit.consume(await getMaxCost(bounded))',
    put: '',
    test: {
      file: EVM_SENDER,
      title: 'does not sign a transaction whose maximum cost exceeds the remaining limit',
    },
  },
  {
    rule: 'an exit limits its total cost on TRON',
    at: 'api/client/exit/tron-sender.ts#createTronSender',
    take: 'costLimit.consume(feeLimitSun + getBandwidthFee(payment, address))',
    put: '',
    test: {
      file: 'test/unit/client/exit/tron-sender.test.ts',
      title: 'does not sign a transaction whose maximum fee exceeds the remaining limit',
    },
  },
  {
    rule: 'the maximum cost of each transaction of an exit is deducted from the limit',
    at: 'api/client/exit/cost-limit.ts#createCostLimit',
    take: 'left -= cost',
    put: '',
    test: {
      file: EVM_SENDER,
      title: 'does not sign a transaction whose maximum cost exceeds the remaining limit',
    },
  },
  {
    rule: 'a payment of an exit counts as paid only if its money is gone',
    at: 'api/client/exit/send-plan.ts#concludeAttempt',
    take: 'check?.unpaid ?? payments',
    put: '[]',
    test: { file: SENDING, title: 'reports a payment as unpaid if the money is still in the split' },
  },
  {
    rule: 'a payment of an exit counts as paid only if the nodes of a majority of hosts agree',
    at: 'api/client/exit/exit-chain.ts#connect',
    take: 'Math.floor(new Set(voters.map(({ operator }) => operator)).size / 2) + 1',
    put: '1',
    test: {
      file: 'test/unit/client/exit/connect-chains.test.ts',
      title: 'assigns each node to the chain whose id it reports',
    },
  },
  {
    rule: 'a share that an exit could not deliver is reported',
    at: 'api/client/exit/send-plan.ts#concludeAttempt',
    take: 'held: check?.held ?? []',
    put: 'held: []',
    test: {
      file: SENDING,
      title: 'reports a share that the split holds because its recipient could not be paid',
    },
  },
  {
    rule: 'many small payments of an exit do not prevent a large payment',
    at: 'api/client/exit/choose-affordable.ts#chooseAffordable',
    take: 'compare(other.value, one.value)',
    put: 'compare(one.value, other.value)',
    test: {
      file: SENDING,
      title: 'makes the largest payments first if the account’s coin does not suffice for all',
    },
  },
  {
    rule: 'a payment whose gas the account cannot pay does not prevent others that cost less',
    at: 'api/client/exit/choose-affordable.ts#chooseAffordable',
    take: 'if (cost > left) return false left -= cost return true',
    put: 'left -= cost\nreturn left >= 0n',
    test: {
      file: 'test/unit/client/exit/choose-affordable.test.ts',
      title: 'skips a payment whose gas exceeds the remaining funds',
    },
  },
  {
    rule: 'a damaged line of an archive affects only its own record',
    at: 'api/client/exit/split-records.ts#splitLines',
    take: "yield { part, problem: 'the line is not JSON' }",
    put: 'throw new SyntaxError(part)',
    test: { file: ARCHIVE, title: 'reads the intact lines of a log, and names the damaged lines' },
  },
]
