/** A Dockerfile as stages of plain steps, as far as ours uses the language. */
import { DockerfileParser, type Instruction, type JSONInstruction, type Copy } from 'dockerfile-ast';

export interface CopyStep {
  readonly kind: 'copy';
  /** A stage's name; undefined: the build context. */
  readonly from: string | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}

export type Step =
  | CopyStep
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'workdir' | 'user' | 'volume'; readonly value: string }
  | { readonly kind: 'env'; readonly variables: Readonly<Record<string, string>> }
  | { readonly kind: 'entrypoint' | 'cmd' | 'healthcheck'; readonly command: readonly string[] };

export interface Stage {
  readonly name: string | undefined;
  /** As it stands there: an image, perhaps by way of an ARG. */
  readonly base: string;
  readonly steps: readonly Step[];
}

/** What changes nothing about the files or the process. */
const DESCRIPTIVE: ReadonlySet<string> = new Set(['ARG', 'LABEL', 'EXPOSE']);

/** @throws {Error} an instruction that is none of the above, or not in the form that lets Docker start a program without a shell */
export function stagesOf(text: string): Stage[] {
  const stages: { name: string | undefined; base: string; steps: Step[] }[] = [];
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const keyword = instruction.getKeyword();
    if (keyword === 'FROM') {
      const [base = '', , name] = wordsOf(instruction);
      stages.push({ name, base, steps: [] });
    } else if (!DESCRIPTIVE.has(keyword)) {
      stages.at(-1)?.steps.push(stepOf(keyword, instruction));
    }
  }
  return stages;
}

function stepOf(keyword: string, instruction: Instruction): Step {
  switch (keyword) {
    case 'COPY':
      return copyOf(instruction as Copy);
    case 'RUN':
      return { kind: 'run', command: instruction.getRawArgumentsContent() ?? '' };
    case 'ENV':
      return { kind: 'env', variables: variablesIn(wordsOf(instruction)) };
    case 'WORKDIR':
    case 'USER':
    case 'VOLUME':
      return { kind: lowerCase(keyword), value: wordsOf(instruction)[0] ?? '' };
    case 'ENTRYPOINT':
    case 'CMD':
      return { kind: lowerCase(keyword), command: execForm(instruction as JSONInstruction) };
    case 'HEALTHCHECK':
      return { kind: 'healthcheck', command: healthcheckOf(instruction) };
    default:
      throw new Error(`${keyword} is not known here`);
  }
}

function lowerCase<Keyword extends string>(keyword: Keyword): Lowercase<Keyword> {
  return keyword.toLowerCase() as Lowercase<Keyword>;
}

function wordsOf(instruction: Instruction): string[] {
  return instruction.getArguments().map((argument) => argument.getValue());
}

function copyOf(instruction: Copy): CopyStep {
  const flags = instruction.getFlags();
  const unknown = flags.filter((flag) => flag.getName() !== 'from');
  if (unknown.length > 0) throw new Error(`COPY ${unknown.join(' ')} is not known here`);
  const words = wordsOf(instruction);
  const from = flags[0]?.getValue() ?? undefined;
  return { kind: 'copy', from, sources: words.slice(0, -1), target: words.at(-1) ?? '' };
}

function variablesIn(words: readonly string[]): Record<string, string> {
  const pairs = words.map((word) => /^(\w+)=(.*)$/s.exec(word)?.slice(1) ?? ['', '']);
  return Object.fromEntries(pairs) as Record<string, string>;
}

function execForm(instruction: JSONInstruction): string[] {
  const words = instruction.getJSONStrings().map((text) => JSON.parse(text.getValue()) as string);
  if (words.length === 0) throw new Error(`${instruction.getKeyword()} would start a shell`);
  return words;
}

/** Its options aside. */
function healthcheckOf(instruction: Instruction): string[] {
  const list = /\bCMD\s+(\[.*\])\s*$/s.exec(instruction.getRawArgumentsContent() ?? '')?.[1];
  if (list === undefined) throw new Error('HEALTHCHECK would start a shell');
  return JSON.parse(list) as string[];
}
