/** The dashboard for Grafana as its JSON has it, and its queries as Prometheus gets them. */
import { readFileSync } from 'node:fs';

const FILE = 'deploy/watching/dashboard.json';

export interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat?: string;
  readonly datasource: { readonly type: string; readonly uid: string };
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly Target[];
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
}

export interface Variable {
  readonly name: string;
  readonly type: string;
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly Panel[];
}

export function readDashboard(): Dashboard {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Dashboard;
}

/** @param range stands for what Grafana makes of the scrape interval */
export function asked({ expr }: Target, range = '5m'): string {
  return expr
    .replaceAll('$job', 'botbell')
    .replaceAll('$instance', '.*')
    .replaceAll('$__rate_interval', range);
}
