import { encodeFunctionData, erc20Abi, type Hex, parseAbi } from 'viem'
import type { Address } from '../../shared/domain/address.ts'
import type { Split } from '../../shared/domain/allocation.ts'
import { encodeDistribution } from '../../shared/domain/distribution-call.ts'
import { authorizationCall, authorizationHash } from '../../shared/domain/eip3009/authorization.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../shared/domain/split-address.ts'
import { ACCOUNTS, toSigner } from '../devnet/accounts.ts'
import { requireMined } from '../devnet/require-mined.ts'
import { addressOf, startChain, type TestChain } from '../support/payout-fixture.ts'
import type { Comparison } from './compare.ts'

/**
 * By number of recipients: maximum gas of one transaction that deploys a split and distributes, and the gas that
 * 0xSplits v2.2 Push needs for the same work.
 *
 * Measured on 2026-11-20 with USDC and its blacklist, when every recipient already held the token.
 */
const REFERENCES = [
  { recipients: 2, gas: 143_734, zeroXSplits: 213_940 },
  { recipients: 3, gas: 158_844, zeroXSplits: 229_766 },
  { recipients: 7, gas: 219_272, zeroXSplits: 293_011 },
] as const

const KEEPER = addressOf(ACCOUNTS.keeper.address)

/**
 * Maximum gas of a payment by signature: the gas measured with Circle's own token behind its proxy (FiatTokenV2_2 on
 * anvil 1.7.1, November 2026). For comparison, a plain transfer to a new address, whose gas the payer pays, costs
 * 62,147 gas there. The devnet's token has neither a proxy nor roles, so all its transfers cost less.
 */
const BY_SIGNATURE = [
  { holder: 'a new address', gas: 102_832 },
  { holder: 'an address that already held the token', gas: 85_720 },
] as const

/** Measures the gas of payouts and of payments by signature on a separate chain. */
export async function benchGas(): Promise<readonly Comparison[]> {
  const chain = await startChain()
  try {
    const found: Comparison[] = []
    for (const { holder, gas } of BY_SIGNATURE) {
      const isNew = holder === 'a new address'
      const plain = await payPlainly(chain, isNew)
      const ours = await payBySignature(chain, isNew)
      const name = `a payment by signature to ${holder} (a plain transfer: ${plain})`
      found.push({ name, unit: 'gas', aim: 1, ratio: ours / gas, ours, yardstick: gas })
    }
    for (const reference of REFERENCES) {
      const ours = await measure(chain, reference.recipients)
      const name = `a payout to ${reference.recipients} recipients (0xSplits Push: ${reference.zeroXSplits})`
      found.push({ name, unit: 'gas', aim: 1, ratio: ours / reference.gas, ours, yardstick: reference.gas })
    }
    return found
  } finally {
    await chain.stop()
  }
}

async function measure(chain: TestChain, count: number): Promise<number> {
  const salt = chargeSalt(`ch_bench_${count}`)
  const split = splitAmong(count)
  const address = predictSplitAddress({
    ...{ factory: SPLIT_FACTORY, implementation: SPLIT_IMPLEMENTATION },
    ...{ split, salt },
  })
  for (const account of [...split.recipients, KEEPER]) await mint(chain, { account, amount: 5_000_000n })
  await mint(chain, { account: address, amount: 100_000_000n })
  const data = encodeDistribution({ split, salt, token: chain.token, distributor: KEEPER })
  return send(chain, { to: SPLIT_FACTORY, data })
}

function splitAmong(count: number): Split {
  const others = count - 1
  return {
    recipients: Array.from({ length: count }, (_, index) => freshAddress(`${count}/${index}`)),
    allocations: [1_000_000 - 9009 * others, ...Array.from({ length: others }, () => 9009)],
    totalAllocation: 1_000_000,
    distributionIncentive: 1000,
  }
}

function freshAddress(seed: string): Address {
  return addressOf(`0x${chargeSalt(seed).slice(-40)}`)
}

async function payPlainly(chain: TestChain, isNew: boolean): Promise<number> {
  await mint(chain, { account: KEEPER, amount: 10n * PAID })
  const data = encodeFunctionData({
    ...{ abi: erc20Abi, functionName: 'transfer', args: [await payee(chain, { isNew, of: 'plain' }), PAID] },
  })
  return send(chain, { to: chain.token, data })
}

async function payBySignature(chain: TestChain, isNew: boolean): Promise<number> {
  const payer = toSigner(ACCOUNTS.keeper)
  const { timestamp } = await chain.node.getBlock()
  const authorization = {
    ...{ from: KEEPER, to: await payee(chain, { isNew, of: 'signed' }), value: PAID },
    ...{ validAfter: 0n, validBefore: timestamp + 300n, nonce: chargeSalt(`nonce ${isNew}`) },
  }
  const domain = { name: 'USD Coin', version: '2' }
  const terms = { chainId: await chain.node.getChainId(), token: chain.token, domain, authorization }
  const signature = await payer.sign({ hash: authorizationHash(terms) })
  return send(chain, authorizationCall(chain.token, { ...authorization, signature }))
}

/** Paid amount in atomic units, less than the payer's balance: a transfer that empties the balance costs less gas. */
const PAID = 10_000_000n

async function payee(
  chain: TestChain,
  { isNew, of }: { readonly isNew: boolean; readonly of: string },
): Promise<Address> {
  const account = freshAddress(`${of}/${isNew}`)
  if (!isNew) await mint(chain, { account, amount: 1n })
  return account
}

async function mint(
  { wallet, node, token }: TestChain,
  { account, amount }: { readonly account: Address; readonly amount: bigint },
): Promise<void> {
  const hash = await wallet.writeContract({
    account: toSigner(ACCOUNTS.payer),
    address: token,
    abi: parseAbi(['function mint(address account, uint256 amount)']),
    functionName: 'mint',
    args: [account, amount],
  })
  await requireMined(node, hash)
}

async function send(
  { wallet, node }: TestChain,
  call: { readonly to: Address; readonly data: Hex },
): Promise<number> {
  const hash = await wallet.sendTransaction({ ...call, account: toSigner(ACCOUNTS.keeper) })
  const { gasUsed } = await requireMined(node, hash)
  return Number(gasUsed)
}
