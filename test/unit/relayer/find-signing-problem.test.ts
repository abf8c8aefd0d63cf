import { expect } from 'chai'
import { concatHex, encodeFunctionData, numberToHex, parseAbi, size } from 'viem'
import {
  findSigningProblem,
  type UnsignedTransaction,
} from '../../../indexer/relayer/find-signing-problem.ts'
import { paymentSplitAbi } from '../../../shared/chain/abi/payment-split.ts'
import { paymentSplitFactoryAbi } from '../../../shared/chain/abi/payment-split-factory.ts'
import { multiSendAbi, safeAbi, safeProxyFactoryAbi } from '../../../shared/chain/abi/safe.ts'
import {
  buildExecutionCalls,
  buildMultiSendCall,
  buildReleaseCall,
} from '../../../shared/chain/safe/escrow-call.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { ANY_DISTRIBUTOR, encodeDistribution } from '../../../shared/domain/distribution-call.ts'
import { authorizationCall, type SignedAuthorization } from '../../../shared/domain/eip3009/authorization.ts'
import { SAFE_CONTRACTS, safeInitializer } from '../../../shared/domain/escrow-address.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { chargeSalt } from '../../../shared/domain/split-address.ts'
import { buildCharge, getTokenAddress, MERCHANT, TREASURY } from '../../support/factories.ts'

const RELAYER = `0x${'5e'.repeat(20)}` as Address
const STRANGER = `0x${'66'.repeat(20)}` as Address
const TOKEN = getTokenAddress('base')
const CHAIN_ID = 8453
const SIGNATURE: Hex = `0x${'ab'.repeat(64)}1b`

const charge = buildCharge()
const escrow = buildCharge({ escrowReleaser: MERCHANT })
const stranger = buildCharge()
const strangersEscrow = buildCharge({ escrowReleaser: STRANGER })

const PERMITS = {
  ...({ chainId: CHAIN_ID, relayer: RELAYER, duty: 'payouts', tokens: [TOKEN] } as const),
  charges: [charge, escrow].map(({ address, splitAddress, splitTerms, escrowReleaser }) => ({
    ...{ address, splitAddress, recipients: splitTerms.recipients, isEscrow: escrowReleaser !== null },
  })),
}

type Call = { readonly to: Address; readonly data: Hex }

function distribution(of = charge, changes: { token?: Address; distributor?: Address } = {}): Call {
  const { splitTerms: split, id } = of
  const { token = TOKEN, distributor = RELAYER } = changes
  return { to: split.factory, data: encodeDistribution({ split, salt: chargeSalt(id), token, distributor }) }
}

function distributionOf(tokens: readonly Address[]): Call {
  const { splitTerms, id } = charge
  const allocations = splitTerms.allocations.map(BigInt)
  const terms = { ...splitTerms, allocations, totalAllocation: BigInt(splitTerms.totalAllocation) }
  const args = [terms, chargeSalt(id), tokens, RELAYER] as const
  const functionName = 'createAndDistribute'
  return {
    to: splitTerms.factory,
    data: encodeFunctionData({ abi: paymentSplitFactoryAbi, functionName, args }),
  }
}

function release(of = charge, token = TOKEN): Call {
  return {
    to: of.splitAddress,
    data: encodeFunctionData({ abi: paymentSplitAbi, functionName: 'release', args: [token, TREASURY] }),
  }
}

function signedEscrow(of = escrow, tokenAddress = TOKEN) {
  const { id, address: safeAddress, splitAddress, splitTerms, escrowReleaser } = of
  const at = { chainId: CHAIN_ID, safeAddress, tokenAddress }
  return {
    escrow: {
      ...{ ...at, chargeId: id, splitAddress, splitTerms, sender: STRANGER },
      ...({ token: 'USDC', network: 'base' } as const),
      ...{
        releaser: escrowReleaser ?? ANY_DISTRIBUTOR,
        saltNonce: chargeSalt(id),
        amountMicro: of.amountMicro,
      },
      ...{ decimals: 6, txHash: null, amountAtomic: atomic(10n), at: of.createdAt, isMixed: false },
      onlyDustAtto: null,
    },
    transaction: { ...at, destination: splitAddress, amountAtomic: atomic(10n), nonce: 0n },
    ...{ signature: SIGNATURE, isDeployed: false },
  }
}

function order(of = escrow, token = TOKEN): readonly Call[] {
  const signed = signedEscrow(of, token)
  return [...buildExecutionCalls(signed), buildReleaseCall(signed)]
}

/** Returns a call of `execTransaction`, in which `changes` replaces arguments by their index. */
function execution(changes: Partial<Record<number, unknown>>): Call {
  const transfer = encodeFunctionData({
    ...{ abi: parseAbi(['function transfer(address, uint256)']), functionName: 'transfer' },
    args: [escrow.splitAddress, 10n],
  })
  const args = [TOKEN, 0n, transfer, 0, 0n, 0n, 0n, ANY_DISTRIBUTOR, ANY_DISTRIBUTOR, SIGNATURE]
  for (const [index, value] of Object.entries(changes)) args[Number(index)] = value as never
  return {
    to: escrow.address,
    data: encodeFunctionData({ abi: safeAbi, functionName: 'execTransaction', args: args as never }),
  }
}

function creation(singleton: Address, initializer: Hex): Call {
  const saltNonce = BigInt(chargeSalt(escrow.id))
  const args = [singleton, initializer, saltNonce] as const
  return {
    to: SAFE_CONTRACTS.proxyFactory,
    data: encodeFunctionData({ abi: safeProxyFactoryAbi, functionName: 'createProxyWithNonce', args }),
  }
}

/** Like `buildMultiSendCall` for one call, but with an operation and a value. */
function multiSend(call: Call, { operation = 0, value = 0 } = {}): Call {
  const { to, data } = call
  const head = [numberToHex(operation, { size: 1 }), to, numberToHex(value, { size: 32 })]
  const packed = concatHex([...head, numberToHex(size(data), { size: 32 }), data])
  return {
    to: SAFE_CONTRACTS.multiSendCallOnly,
    data: encodeFunctionData({ abi: multiSendAbi, functionName: 'multiSend', args: [packed] }),
  }
}

const approve = encodeFunctionData({
  ...{ abi: parseAbi(['function approve(address, uint256)']), functionName: 'approve' },
  args: [STRANGER, 2n ** 256n - 1n],
})
const transfer = encodeFunctionData({
  ...{ abi: parseAbi(['function transfer(address, uint256)']), functionName: 'transfer' },
  args: [STRANGER, 1n],
})

const SIGNED: readonly (readonly [string, Call])[] = [
  ['the distribution of a charge', distribution()],
  ['a distribution without incentive', distribution(charge, { distributor: ANY_DISTRIBUTOR })],
  ['a distribution whose incentive goes to the treasury', distribution(charge, { distributor: TREASURY })],
  ['the release of an amount held by a charge’s split', release()],
  ['the release of an escrow', buildMultiSendCall(order())],
  [
    'the execution of an escrow order without further calls',
    buildMultiSendCall(buildExecutionCalls(signedEscrow())),
  ],
  ['an empty call to the relayer’s own account', { to: RELAYER, data: '0x' }],
]

const REFUSED: readonly (readonly [string, Call, Partial<UnsignedTransaction>?])[] = [
  ['on another chain', distribution(), { chainId: 1 }],
  ['that sends native coin with a distribution', distribution(), { value: 1n }],
  ['that sends native coin to the relayer’s own account', { to: RELAYER, data: '0x' }, { value: 1n }],
  ['that calls the relayer’s own account with data', { to: RELAYER, data: '0x00' }],
  ['that makes an empty call to a stranger', { to: STRANGER, data: '0x' }],
  ['to a stranger’s factory', { ...distribution(), to: STRANGER }],
  ['for a charge whose terms were not verified', distribution(stranger)],
  [
    'for the same charge with another payee',
    distribution({
      ...charge,
      splitTerms: { ...charge.splitTerms, recipients: [STRANGER, TREASURY] },
    }),
  ],
  [
    'for the same charge with other shares',
    distribution({
      ...charge,
      splitTerms: { ...charge.splitTerms, allocations: [1, 999_999] },
    }),
  ],
  ['whose incentive goes to a stranger', distribution(charge, { distributor: STRANGER })],
  ['that distributes an unknown token', distribution(charge, { token: STRANGER })],
  ['that distributes two tokens, the second of them unknown', distributionOf([TOKEN, STRANGER])],
  ['that distributes the same token twice', distributionOf([TOKEN, TOKEN])],
  ['that distributes no token', distributionOf([])],
  ['with extra bytes', { ...distribution(), data: `${distribution().data}00` }],
  ['that calls another function of the factory', { to: distribution().to, data: release().data }],
  ['that releases from a stranger’s split', release(stranger)],
  ['that releases an unknown token', release(charge, STRANGER)],
  ['that releases from the Safe', { ...release(), to: escrow.address }],
  ['that transfers a token directly', { to: TOKEN, data: transfer }],
  ['that approves a stranger as spender', { to: TOKEN, data: approve }],
  ['that deploys a contract', { to: STRANGER, data: '0x60806040' }],
  ['for a stranger’s Safe', buildMultiSendCall(order(strangersEscrow))],
  ['that calls the split of a charge without escrow as a Safe', { ...execution({}), to: charge.address }],
  ['that makes a Safe transfer an unknown token', buildMultiSendCall(order(escrow, STRANGER))],
  ['that makes a Safe execute a delegatecall', execution({ 3: 1 })],
  ['that makes a Safe send native coin', execution({ 1: 1n })],
  ['that makes a Safe pay a stranger for gas', execution({ 6: 1n, 8: STRANGER })],
  ['that makes a Safe pay for gas in a token', execution({ 7: TOKEN })],
  ['that makes a Safe approve a stranger as spender', execution({ 2: approve })],
  ['that creates a Safe with another singleton', creation(STRANGER, safeInitializer(MERCHANT))],
  ['that creates a Safe with another owner', creation(SAFE_CONTRACTS.singleton, safeInitializer(STRANGER))],
  [
    'that creates a Safe with extra initializer bytes',
    creation(SAFE_CONTRACTS.singleton, `${safeInitializer(MERCHANT)}00`),
  ],
  ['of several calls, one to a stranger', buildMultiSendCall([...order(), { to: STRANGER, data: '0x00' }])],
  [
    'of several calls, one an empty call to the relayer’s own account',
    buildMultiSendCall([...order(), { to: RELAYER, data: '0x' }]),
  ],
  ['of nested MultiSend calls', buildMultiSendCall([buildMultiSendCall(order())])],
  ['of no calls', buildMultiSendCall([])],
  ['of one MultiSend call that is a delegatecall', multiSend(distribution(), { operation: 1 })],
  ['of one MultiSend call that sends native coin', multiSend(distribution(), { value: 1 })],
  [
    'of several calls with truncated bytes',
    {
      to: SAFE_CONTRACTS.multiSendCallOnly,
      data: encodeFunctionData({ abi: multiSendAbi, functionName: 'multiSend', args: ['0x00ab'] }),
    },
  ],
  [
    'of several calls through a contract other than MultiSendCallOnly',
    { ...buildMultiSendCall(order()), to: STRANGER },
  ],
]

function authorization(changes: Partial<SignedAuthorization> = {}, token = TOKEN): Call {
  return authorizationCall(token, {
    ...{ from: STRANGER, to: charge.address, value: 10n, validAfter: 0n, validBefore: 1n },
    ...{ nonce: `0x${'11'.repeat(32)}`, signature: SIGNATURE },
    ...changes,
  })
}

const AUTHORIZING = { ...PERMITS, duty: 'authorizations' } as const

describe('the relayer’s key for authorizations', () => {
  const problemOf = (call: Call, changes: Partial<UnsignedTransaction> = {}) =>
    findSigningProblem({ chainId: CHAIN_ID, value: 0n, ...call, ...changes }, AUTHORIZING)

  for (const [title, call] of [
    ['a payment to a charge', authorization()],
    ['a payment to the Safe of an escrow', authorization({ to: escrow.address })],
    ['a payment that a contract signed', authorization({ signature: `0x${'ab'.repeat(100)}` })],
    ['an empty call to the relayer’s own account', { to: RELAYER, data: '0x' }],
  ] as const) {
    it(`signs ${title}`, () => {
      expect(problemOf(call)).to.equal(null)
    })
  }

  for (const [title, call, changes] of [
    ['on another chain', authorization(), { chainId: 1 }],
    ['that sends native coin with a payment', authorization(), { value: 1n }],
    ['that pays another address', authorization({ to: STRANGER })],
    ['that pays the split of an escrow', authorization({ to: escrow.splitAddress })],
    ['that pays a charge whose terms were not verified', authorization({ to: stranger.address })],
    ['that pays an unknown token', authorization({}, STRANGER)],
    ['with extra bytes', { ...authorization(), data: `${authorization().data}00` }],
    ['that wraps a payment in a MultiSend call', buildMultiSendCall([authorization()])],
    ['that approves a stranger as spender', { to: TOKEN, data: approve }],
    ['that transfers a token directly', { to: TOKEN, data: transfer }],
    ['that distributes', distribution()],
    ['that releases from a split', release()],
    ['that releases an escrow', buildMultiSendCall(order())],
  ] as readonly (readonly [string, Call, Partial<UnsignedTransaction>?])[]) {
    it(`does not sign a transaction ${title}`, () => {
      expect(problemOf(call, changes)).to.be.a('string')
    })
  }

  for (const to of [charge.address, escrow.address]) {
    it(`signs a payment to ${to === charge.address ? 'a charge' : 'an escrow'}, unlike the key for payouts`, () => {
      const call = authorization({ to })
      expect(findSigningProblem({ chainId: CHAIN_ID, value: 0n, ...call }, PERMITS)).to.be.a('string')
    })
  }
})

describe('the relayer’s key for payouts', () => {
  const problemOf = (call: Call, changes: Partial<UnsignedTransaction> = {}) =>
    findSigningProblem({ chainId: CHAIN_ID, value: 0n, ...call, ...changes }, PERMITS)

  for (const [title, call] of SIGNED) {
    it(`signs ${title}`, () => {
      expect(problemOf(call)).to.equal(null)
    })
  }

  for (const [title, call, changes] of REFUSED) {
    it(`does not sign a transaction ${title}`, () => {
      expect(problemOf(call, changes)).to.be.a('string')
    })
  }
})
