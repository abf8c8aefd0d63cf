import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'

type Process = 'api' | 'indexer' | 'migrate'

/** The image and its processes, as defined by the Dockerfile and compose.yaml. */
export type Image = {
  readonly uid: number
  readonly commands: Readonly<Record<Process, readonly string[]>>
  /** Writable directories of each process, as `PATH[:OPTIONS]`. */
  readonly tmpfs: Readonly<Record<Process, readonly string[]>>
  /** Files that the Dockerfile copies before it installs the packages, each with its target directory. */
  readonly copied: readonly { readonly file: string; readonly into: string }[]
  /** Shell commands of the image's last two stages: one installs the packages, the other prepares `dist/`. */
  readonly steps: { readonly packages: string; readonly last: string }
}

type Service = { readonly command?: readonly string[]; readonly tmpfs?: readonly string[] }

const REPOSITORY = resolve(import.meta.dirname, '../..')

export function readImage(): Image {
  const dockerfile = readFileSync(join(REPOSITORY, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ')
  const [packages = '', last = ''] = dockerfile.split(/^FROM .*$/m).slice(-2)
  const compose = parse(readFileSync(join(REPOSITORY, 'compose.yaml'), 'utf8'), { merge: true }) as {
    readonly services: Readonly<Record<Process, Service>>
  }
  const { api, indexer, migrate } = compose.services
  const found = (pattern: RegExp) => pattern.exec(last)?.[1] ?? ''
  const byDefault = JSON.parse(found(/^CMD (.*)$/m)) as readonly string[]
  const commandOf = ({ command }: Service) => command ?? byDefault
  return {
    uid: Number(found(/^USER (\d+):\d+$/m)),
    commands: { api: commandOf(api), indexer: commandOf(indexer), migrate: commandOf(migrate) },
    tmpfs: { api: api.tmpfs ?? [], indexer: indexer.tmpfs ?? [], migrate: migrate.tmpfs ?? [] },
    copied: [...packages.matchAll(/^COPY (.*) (\S+\/)$/gm)].flatMap(([, files = '', into = '']) =>
      files.split(' ').map((file) => ({ file, into })),
    ),
    steps: { packages: /^RUN (.*)$/m.exec(packages)?.[1] ?? '', last: found(/^RUN (.*)$/m) },
  }
}
