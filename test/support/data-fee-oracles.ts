import { concatHex, type Hex, numberToHex, pad, toFunctionSelector } from 'viem'
import type { TestChain } from './payout-fixture.ts'

/** The OP stack's GasPriceOracle, and Arbitrum's NodeInterface. */
export const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000F'
export const NODE_INTERFACE = '0x00000000000000000000000000000000000000C8'

type Node = Pick<TestChain['node'], 'setCode' | 'setStorageAt'>

/**
 * Installs a GasPriceOracle with a price per posted byte and an operator fee. If the operator fee is `null`, the
 * contract behaves like an older version and reverts calls to getOperatorFee.
 */
export async function setGasPriceOracle(
  node: Node,
  price: { readonly weiPerByte: bigint; readonly operatorWei: bigint | null },
): Promise<void> {
  await node.setCode({ address: GAS_PRICE_ORACLE, bytecode: ORACLE_CODE })
  await store(node, GAS_PRICE_ORACLE, [price.weiPerByte, price.operatorWei ?? NOT_KNOWN])
}

/** Installs a NodeInterface that returns the same gas for posting any data. */
export async function setNodeInterface(node: Node, { gas }: { readonly gas: bigint }): Promise<void> {
  await node.setCode({ address: NODE_INTERFACE, bytecode: INTERFACE_CODE })
  await store(node, NODE_INTERFACE, [gas, 10_000_000n, 1_000_000_000n])
}

async function store(node: Node, address: Hex, values: readonly bigint[]): Promise<void> {
  for (const [index, value] of values.entries())
    await node.setStorageAt({ address, index, value: pad(numberToHex(value)) })
}

const NOT_KNOWN = 2n ** 256n - 1n

/**
 * getL1FeeUpperBound(size) returns size × slot 0. getOperatorFee(gas) returns slot 1, or reverts if slot 1 is
 * 2^256 - 1. Any other call reverts.
 */
const ORACLE_CODE = concatHex([
  concatHex(['0x5f3560e01c80', '0x63', toFunctionSelector('getL1FeeUpperBound(uint256)'), '0x14601c57']),
  concatHex(['0x63', toFunctionSelector('getOperatorFee(uint256)'), '0x14602957']),
  '0x5b5f5ffd', // 0x18: reverts
  '0x5b6004355f54025f5260205ff3', // 0x1c: size × slot 0
  '0x5b6001548019156018575f5260205ff3', // 0x29: slot 1, or reverts if it is 2^256 - 1
])

const INTERFACE_CODE: Hex = '0x5f545f5260015460205260025460405260605ff3'
