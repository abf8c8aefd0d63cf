import { createRequire } from 'node:module'
import { expect } from 'chai'
import { TypedDataEncoder, Wallet } from 'ethers'
import {
  decodeFunctionData,
  encodeFunctionData,
  getAddress,
  type Hex,
  hashTypedData,
  keccak256,
  parseAbi,
  parseSignature,
  serializeSignature,
  stringToHex,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Address } from '../../../shared/domain/address.ts'
import {
  type EscrowTransaction,
  escrowTxHash,
  escrowTypedData,
  parseEscrowSignature,
  recoverEscrowSigner,
} from '../../../shared/domain/escrow-transaction.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { encodeTransfer } from '../../../shared/domain/transfer-call.ts'

const KEY: Hex = `0x${'4c'.repeat(32)}`
const account = privateKeyToAccount(KEY)
const RELEASER = account.address.toLowerCase() as Address

const transaction: EscrowTransaction = {
  chainId: 8453,
  safeAddress: '0x5afe5afe5afe5afe5afe5afe5afe5afe5afe5afe' as Address,
  tokenAddress: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' as Address,
  destination: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' as Address,
  amountAtomic: atomic(12_345_678_901_234_567_890n),
  nonce: 7n,
}

/** The order of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

describe('escrowTypedData', () => {
  const typedData = escrowTypedData(transaction)

  it('is unchanged by JSON, and has the chain id as a number and the message’s numbers as decimal strings', () => {
    expect(JSON.parse(JSON.stringify(typedData))).to.deep.equal(typedData)
    const { to, data, ...message } = typedData.message
    expect({ ...typedData.domain, ...message }).to.deep.equal({
      ...{ chainId: 8453, verifyingContract: getAddress(transaction.safeAddress) },
      ...{ value: '0', operation: '0', safeTxGas: '0', baseGas: '0', gasPrice: '0', nonce: '7' },
      gasToken: '0x0000000000000000000000000000000000000000',
      refundReceiver: '0x0000000000000000000000000000000000000000',
    })
    expect(to.toLowerCase()).to.equal(transaction.tokenAddress)
    expect(data).to.equal(encodeTransfer(transaction))
  })

  it('hashes to `escrowTxHash` in ethers, and in viem with and without `EIP712Domain` in `types`', () => {
    const { domain, types, message } = typedData
    const { EIP712Domain: _, ...withoutDomain } = types
    expect(hashTypedData(typedData as never)).to.equal(escrowTxHash(transaction))
    expect(hashTypedData({ ...typedData, types: withoutDomain } as never)).to.equal(escrowTxHash(transaction))
    expect(TypedDataEncoder.hash(domain, { SafeTx: [...types.SafeTx] }, message)).to.equal(
      escrowTxHash(transaction),
    )
  })

  it('has the same signature in viem and ethers', async () => {
    const { domain, types, message } = typedData
    const byViem = await account.signTypedData(typedData as never)
    const byEthers = await new Wallet(KEY).signTypedData(domain, { SafeTx: [...types.SafeTx] }, message)
    expect(byEthers).to.equal(byViem)
    expect(await recoverEscrowSigner(transaction, byViem)).to.equal(RELEASER)
  })

  it('has types whose hashes are in the Safe contract’s bytecode', () => {
    const { types } = typedData
    const typeHash = (name: keyof typeof types) =>
      keccak256(
        stringToHex(`${name}(${types[name].map((field) => `${field.type} ${field.name}`).join(',')})`),
      )
    const load = createRequire(import.meta.url)
    const { deployedBytecode } = load(
      '@safe-global/safe-contracts/build/artifacts/contracts/SafeL2.sol/SafeL2.json',
    ) as { deployedBytecode: Hex }
    expect(deployedBytecode).to.include(typeHash('EIP712Domain').slice(2))
    expect(deployedBytecode).to.include(typeHash('SafeTx').slice(2))
  })
})

describe('encodeTransfer', () => {
  it('encodes transfer as viem does', () => {
    const abi = parseAbi(['function transfer(address to, uint256 value) returns (bool)'])
    const args = [transaction.destination, transaction.amountAtomic] as const
    expect(encodeTransfer(transaction)).to.equal(encodeFunctionData({ abi, args }))
    expect(decodeFunctionData({ abi, data: encodeTransfer(transaction) }).args[1]).to.equal(args[1])
  })
})

describe('recoverEscrowSigner', () => {
  const changes: Readonly<Record<string, Partial<EscrowTransaction>>> = {
    amount: { amountAtomic: atomic(transaction.amountAtomic + 1n) },
    nonce: { nonce: 8n },
    destination: { destination: transaction.tokenAddress },
    token: { tokenAddress: transaction.destination },
    chain: { chainId: 84532 },
    Safe: { safeAddress: transaction.destination },
  }
  for (const [title, change] of Object.entries(changes)) {
    it(`returns another account if the ${title} differs from the signed value`, async () => {
      const signature = await account.sign({ hash: escrowTxHash(transaction) })
      expect(await recoverEscrowSigner({ ...transaction, ...change }, signature)).to.not.equal(RELEASER)
    })
  }

  it('returns null for a signature that no key can have created', async () => {
    const signature: Hex = `0x${'ff'.repeat(32)}${'01'.repeat(32)}1b`
    expect(await recoverEscrowSigner(transaction, signature)).to.equal(null)
  })
})

describe('parseEscrowSignature', () => {
  let signature: Hex

  before(async () => {
    signature = await account.sign({ hash: escrowTxHash(transaction) })
  })

  it('accepts v 27 or 28 and hex digits of either case, and returns lower case', () => {
    expect(parseEscrowSignature(signature)).to.equal(signature)
    expect(parseEscrowSignature(`0x${signature.slice(2).toUpperCase()}`)).to.equal(signature)
  })

  it('converts v 0 or 1 to 27 or 28, the only values that the Safe accepts for a plain signature', () => {
    const v = Number.parseInt(signature.slice(-2), 16)
    expect(parseEscrowSignature(`${signature.slice(0, -2)}0${v - 27}`)).to.equal(signature)
  })

  it('rejects a high s, which is another form of the same signature', () => {
    const { r, s, yParity } = parseSignature(signature)
    const high = serializeSignature({ r, s: toHex(ORDER - BigInt(s), { size: 32 }), yParity: 1 - yParity })
    expect(parseEscrowSignature(high)).to.equal(null)
  })

  it('accepts the highest low s, and rejects the next value and zero', () => {
    const withS = (s: bigint) => `0x${'01'.repeat(32)}${s.toString(16).padStart(64, '0')}1b`
    expect(parseEscrowSignature(withS(ORDER / 2n))).to.equal(withS(ORDER / 2n))
    expect(parseEscrowSignature(withS(ORDER / 2n + 1n))).to.equal(null)
    expect(parseEscrowSignature(withS(0n))).to.equal(null)
  })

  const body = '01'.repeat(64)
  for (const [title, text] of Object.entries({
    '64 bytes': `0x${body}`,
    '66 bytes': `0x${body}1b00`,
    'v 2': `0x${body}02`,
    'v 29': `0x${body}1d`,
    'v 31, which the Safe interprets as eth_sign': `0x${body}1f`,
    'hex without 0x': `${body}1b`,
    'text that is not hex': `0x${'zz'.repeat(65)}`,
    'an empty text': '',
  })) {
    it(`rejects ${title}`, () => {
      expect(parseEscrowSignature(text)).to.equal(null)
    })
  }
})
