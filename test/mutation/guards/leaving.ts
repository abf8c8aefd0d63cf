import type { Mutant } from '../mutant.ts'

const ARCHIVE = 'test/unit/client/exit/read-archive.test.ts'

/** A merchant is paid without the service, by `svc exit`, and whatever the archive contains. */
export const LEAVING_RULES: readonly Mutant[] = [
  {
    rule: 'the address of a kept charge follows from its terms',
    at: 'api/client/check-address.ts#checkTerms',
    take: "requireSame('address', address, { expected: presentAddress(payTo, family), of: 'the terms' })",
    put: '',
    test: { file: ARCHIVE, title: 'a charge with another address' },
  },
  {
    rule: 'the split of a kept charge follows from its terms',
    at: 'api/client/check-address.ts#checkTerms',
    take: "requireSame('addressTerms.splitAddress', terms.splitAddress, { expected: presentAddress(splitAddress, family), of: 'the terms', })",
    put: '',
    test: { file: ARCHIVE, title: 'a charge with another split' },
  },
  {
    rule: 'only the pinned factory deploys the split of a kept charge',
    at: 'api/client/check-address.ts#checkTerms',
    take: "requireKnown('addressTerms.factory', terms.factory, { known: factory, family })",
    put: '',
    test: { file: ARCHIVE, title: 'a charge with another factory' },
  },
  {
    rule: 'a kept webhook counts only with its signature, if there is a secret',
    at: 'api/client/exit/read-archive.ts#verifySignature',
    take: 'secrets.length === 0',
    put: 'secrets.length >= 0',
    test: { file: ARCHIVE, title: 'accepts a record only with its signature if there is a secret' },
  },
  {
    rule: 'an exit pays no distributor',
    at: 'api/client/exit/payment.ts#listPayments',
    take: 'distributor: ANY_DISTRIBUTOR',
    put: 'distributor: to',
    test: {
      file: 'test/property/exit-charge.test.ts',
      title: 'result only in calls that pay the recipients in their terms, and no distributor',
    },
  },
  {
    rule: 'an exit pays only charges whose terms name the payout address',
    at: 'api/client/exit/select-charges.ts#selectCharges',
    take: 'charges: all.filter(isOurs)',
    put: 'charges: all',
    test: {
      file: 'test/unit/client/exit/select-charges.test.ts',
      title: 'skips charges whose terms do not name a payout address',
    },
  },
  {
    rule: 'an exit sends only to the chain whose id a node reports',
    at: 'api/client/exit/exit-chain.ts#findServed',
    take: 'one.chainId === chainId',
    put: 'true',
    test: {
      file: 'test/unit/client/exit/connect-chains.test.ts',
      title: 'rejects a node that serves an unknown chain',
    },
  },
  {
    rule: 'an escrow that several splits are named for has no order',
    at: 'api/client/exit/read-archive.ts#findDisputed',
    take: 'if (claim.length === 1) return []',
    put: 'if (claim.length > 0) return []',
    test: { file: ARCHIVE, title: 'rejects every record of an escrow that names several splits' },
  },
  {
    rule: 'an escrow has an order only for signed or confirmed terms',
    at: 'api/client/exit/escrow-order.ts#listEscrows',
    take: 'charge.isSigned || confirmed.includes(charge.splitAddress)',
    put: 'true',
    test: {
      file: 'test/unit/client/exit/escrow-order.test.ts',
      title: 'exist only for signed terms and confirmed splits',
    },
  },
  {
    rule: 'an exit pays bounded fees, whatever a node offers',
    at: 'api/client/exit/evm-sender.ts#createEvmSender',
    take: 'const fees = await chooseFees()',
    put: 'const fees = await client.estimateFeesPerGas()',
    test: {
      file: 'test/unit/client/exit/evm-sender.test.ts',
      title: 'signs its own chain id, nonce, gas and bounded fees',
    },
  },
  {
    rule: 'an exit pays no gas for dust',
    at: 'api/client/exit/payment-worth.ts#findWorthlessReason',
    take: "isBelow ? 'below --minimum' : null",
    put: 'isBelow ? null : null',
    test: {
      file: 'test/unit/client/exit/payment-worth.test.ts',
      title: 'skips payments whose own share is below the minimum, and native coin',
    },
  },
  {
    rule: 'an exit waits for the transactions of an earlier run',
    at: 'api/client/exit/evm-sender.ts#createEvmSender',
    take: 'sent <= mined',
    put: 'sent >= mined',
    test: {
      file: 'test/e2e/exit.test.ts',
      title: 'pays everything to the unit, although it is killed once in between',
    },
  },
]
