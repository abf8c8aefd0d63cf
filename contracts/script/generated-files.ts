import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { Interface } from 'ethers'
import { type Abi, type Address, concatHex, type Hex, keccak256, pad, sliceHex } from 'viem'

import { splitConstants } from './split-constants.ts'

/** A generated file that must be committed. Its path is relative to the repository's root. */
export type GeneratedFile = { readonly path: string; readonly text: string }

type Artifact = { contractName: string; abi: Abi; bytecode: Hex; deployedBytecode: Hex }
type ImmutableReferences = Record<string, { start: number; length: number }[]>
type ForgeOutput = {
  abi: Abi
  bytecode: { object: Hex }
  deployedBytecode: { object: Hex; immutableReferences?: ImmutableReferences }
}

const TRON_CONTRACTS = ['TronPaymentSplit', 'TronPaymentSplitFactory']

/** Contracts that only the devnet and tests deploy. */
const TEST_CONTRACTS = [
  'TestToken',
  'TestUSDC',
  'TestUSDT',
  'TestUSDT0',
  'TestTronUSDT',
  'TestTronToken',
  'TestArcUSDC',
  'TestEntryPoint',
  'TestSmartAccount',
  'TestSigningWallet',
  'TestPermit2',
  'TestSettlerRegistry',
  'TestSettler',
]

/** Generates the artifacts, constants and ABIs from the output folder of a complete build. */
export function generateFiles(outFolder: string): GeneratedFile[] {
  const read = (contractName: string, immutable?: Address) =>
    toArtifact(contractName, readForgeOutput(outFolder, contractName), immutable)
  const split = read('PaymentSplit')
  const { bytecode } = read('PaymentSplitFactory')
  const constants = splitConstants(bytecode)
  const factory = read('PaymentSplitFactory', constants.implementationAddress)
  return [
    ...[split, factory, ...[...TRON_CONTRACTS, ...TEST_CONTRACTS].map((name) => read(name))].map(
      artifactFile,
    ),
    jsonFile('split-constants', {
      ...constants,
      factoryRuntimeCodeHash: keccak256(factory.deployedBytecode),
      implementationRuntimeCodeHash: keccak256(split.deployedBytecode),
    }),
    jsonFile(
      'tron-split-constants',
      tronConstants(read('TronPaymentSplit'), readForgeOutput(outFolder, 'TronPaymentSplitFactory')),
    ),
    abiFile('payment-split', split),
    abiFile('payment-split-factory', factory),
  ]
}

/** `implementationPlaces` are the offsets at which `factoryRuntimeCode` must contain the implementation's address. */
function tronConstants(split: Artifact, factory: ForgeOutput) {
  return {
    implementationInitCodeHash: keccak256(split.bytecode),
    implementationRuntimeCodeHash: keccak256(split.deployedBytecode),
    factoryRuntimeCode: factory.deployedBytecode.object,
    implementationPlaces: immutablePlaces(factory).map(({ start }) => start),
  }
}

/** With the value of the contract's only immutable, the deployed code equals the result of `eth_getCode`. */
function toArtifact(contractName: string, output: ForgeOutput, immutable?: Address): Artifact {
  const { abi, bytecode, deployedBytecode } = output
  const places = immutablePlaces(output)
  const code = deployedBytecode.object
  return {
    contractName,
    abi,
    bytecode: bytecode.object,
    deployedBytecode: immutable === undefined ? code : places.reduce(putImmutable(immutable), code),
  }
}

function readForgeOutput(outFolder: string, contractName: string): ForgeOutput {
  const text = readFileSync(join(outFolder, `${contractName}.sol`, `${contractName}.json`), 'utf8')
  return JSON.parse(text) as ForgeOutput
}

function immutablePlaces({ deployedBytecode }: ForgeOutput) {
  return Object.values(deployedBytecode.immutableReferences ?? {}).flat()
}

function putImmutable(value: Address) {
  return (code: Hex, { start, length }: { start: number; length: number }): Hex => {
    const word = pad(value.toLowerCase() as Hex, { size: length })
    return concatHex([sliceHex(code, 0, start), word, sliceHex(code, start + length)])
  }
}

function artifactFile(artifact: Artifact): GeneratedFile {
  return jsonFile(artifact.contractName, artifact)
}

function jsonFile(name: string, value: unknown): GeneratedFile {
  return { path: `contracts/artifacts/${name}.json`, text: `${JSON.stringify(value, null, 2)}\n` }
}

function abiFile(name: string, { contractName, abi }: Artifact): GeneratedFile {
  const path = `shared/chain/abi/${name}.ts`
  const constant = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  const signatures = new Interface(JSON.stringify(abi)).format()
  const source = `import { parseAbi } from 'viem'

/** The ABI of ${contractName}; written by \`npm run abi\`. */
export const ${constant}Abi = parseAbi(${JSON.stringify(signatures)})\n`
  return { path, text: formatTypeScript(path, source) }
}

function formatTypeScript(path: string, source: string): string {
  const options = { input: source, encoding: 'utf8' } as const
  return execFileSync('node_modules/.bin/biome', ['format', '--stdin-file-path', path], options)
}
