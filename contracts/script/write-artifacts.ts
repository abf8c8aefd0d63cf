/**
 * Generates the contract files that the service uses: `contracts/artifacts/*.json` and the ABIs in `shared/chain/abi/`.
 *
 * With `--check` it writes nothing, and exits with 1 and the name of every committed file that a clean build does not
 * reproduce. Run it at the repository's root: `npm run abi [-- --check]`.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Interface } from 'ethers'
import { type Abi, type Address, concatHex, type Hex, keccak256, pad, sliceHex } from 'viem'

import { runForge } from './forge.ts'
import { splitConstants } from './split-constants.ts'

type GeneratedFile = { path: string; text: string }
type Artifact = { contractName: string; abi: Abi; bytecode: Hex; deployedBytecode: Hex }
type ImmutableReferences = Record<string, { start: number; length: number }[]>
type ForgeOutput = {
  abi: Abi
  bytecode: { object: Hex }
  deployedBytecode: { object: Hex; immutableReferences?: ImmutableReferences }
}

/** The TRON counterparts of the contracts. */
const TRON_CONTRACTS = ['TronPaymentSplit', 'TronPaymentSplitFactory']

/** Deployed only by the devnet and by tests. */
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

// A clean build outside `contracts/out`, so that it does not interfere with a concurrent build or test.
const outFolder = mkdtempSync(join(tmpdir(), 'contracts-out-'))
try {
  const folders = ['--out', outFolder, '--cache-path', join(outFolder, 'cache')]
  const sources = ['contracts/src', 'contracts/test/tokens', 'contracts/test/accounts', 'contracts/test/swap']
  runForge(['build', ...sources, ...folders], 'ignore')
  const files = generateFiles()
  if (process.argv.includes('--check')) checkFiles(files)
  else for (const { path, text } of files) writeFileSync(path, text)
} finally {
  rmSync(outFolder, { recursive: true })
}

function checkFiles(files: GeneratedFile[]): void {
  const differing = files.filter(({ path, text }) => !existsSync(path) || readFileSync(path, 'utf8') !== text)
  for (const { path } of differing) {
    process.stderr.write(`${path} differs from the output of forge build: run npm run abi and commit it\n`)
  }
  if (differing.length > 0) process.exitCode = 1
}

function generateFiles(): GeneratedFile[] {
  const split = readArtifact('PaymentSplit')
  const { bytecode } = readArtifact('PaymentSplitFactory')
  const constants = splitConstants(bytecode)
  const factory = readArtifact('PaymentSplitFactory', constants.implementationAddress)
  return [
    ...[split, factory, ...[...TRON_CONTRACTS, ...TEST_CONTRACTS].map((name) => readArtifact(name))].map(
      artifactFile,
    ),
    jsonFile('split-constants', {
      ...constants,
      factoryRuntimeCodeHash: keccak256(factory.deployedBytecode),
      implementationRuntimeCodeHash: keccak256(split.deployedBytecode),
    }),
    jsonFile('tron-split-constants', tronConstants()),
    abiFile('payment-split', split),
    abiFile('payment-split-factory', factory),
  ]
}

/**
 * Describes the factory's code for any address: its only immutable, the implementation's address, remains a
 * placeholder.
 */
function tronConstants() {
  const split = readArtifact('TronPaymentSplit')
  const factory = readForgeOutput('TronPaymentSplitFactory')
  return {
    implementationInitCodeHash: keccak256(split.bytecode),
    implementationRuntimeCodeHash: keccak256(split.deployedBytecode),
    factoryRuntimeCode: factory.deployedBytecode.object,
    implementationPlaces: immutablePlaces(factory).map(({ start }) => start),
  }
}

/** Reads forge's output. With the value of its only immutable, the deployed code equals the result of `eth_getCode`. */
function readArtifact(contractName: string, immutable?: Address): Artifact {
  const output = readForgeOutput(contractName)
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

function readForgeOutput(contractName: string): ForgeOutput {
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
