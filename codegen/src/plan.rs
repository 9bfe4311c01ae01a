//! What is to be on disk: the files that the manifest or the command line asks for, with their header.
//! Making a plan reads schemas and documentation and writes nothing.

use std::path::{Path, PathBuf};

use crate::definitions::{Definitions, DefinitionsError};
use crate::docs::{Docs, DocsError};
use crate::emit::{self, Options};
use crate::features;
use crate::import::{is_name, module_and_feature, name_of};
use crate::manifest::{Manifest, ManifestError, matches, tidy};
use crate::model::{Input, Model, ModelError};
use crate::source;
use crate::write::{HEADER, WriteError, Written, generated_below, is_foreign, remove, replace};

/// Files to be written, and where former ones are looked for.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Path and content of each file.
    pub files: Vec<(PathBuf, String)>,
    /// Directories in which a generated file that is not among `files` is stale.
    pub swept: Vec<PathBuf>,
    /// Whether files that a former run did not write are left alone; then they are an error.
    pub guarded: bool,
    /// What the files are made from.
    pub model: Model,
    /// The documentation that went in.
    pub docs: Docs,
}

/// A crate that no manifest describes.
#[derive(Clone, Debug, Default)]
pub struct AdHoc {
    /// Schema files, official or facts.
    pub schemas: Vec<PathBuf>,
    /// Directory of the crate.
    pub out: PathBuf,
    /// Name of the crate; derived from the directory if left out.
    pub package: Option<String>,
    /// Manifest whose names, domains and relaxations are used.
    pub manifest: Option<PathBuf>,
    /// Documentation.
    pub docs: Option<PathBuf>,
    /// Emit `registry::reencode`.
    pub registry: bool,
}

/// Why no plan could be made, or carried out.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The manifest is not usable.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The documentation is not usable.
    #[error(transparent)]
    Docs(#[from] DocsError),
    /// A schema file is not usable.
    #[error(transparent)]
    Definitions(#[from] DefinitionsError),
    /// A schema cannot become Rust.
    #[error("{}: {}: {}", file.display(), error.pointer, error.kind)]
    Model {
        /// The schema file.
        file: PathBuf,
        /// What is wrong, with the JSON pointer.
        error: Box<ModelError>,
    },
    /// The names given do not make a crate.
    #[error("{0}")]
    Naming(String),
    /// The crate's own manifest lacks features.
    #[error("{}: {}", path.display(), lacks.join("\n  "))]
    Features {
        /// The manifest.
        path: PathBuf,
        /// What it lacks, and what to write.
        lacks: Vec<String>,
    },
    /// A file that someone else wrote is in the way.
    #[error(
        "{}: exists and was not written by mcp-codegen; choose a new directory, or remove the file",
        .0.display()
    )]
    Foreign(PathBuf),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl Plan {
    /// What `manifest` asks for.
    ///
    /// # Errors
    /// Fails when a schema or the documentation cannot be used.
    pub fn from_manifest(manifest: &Manifest) -> Result<Self, PlanError> {
        if manifest.inputs.is_empty() {
            return Err(PlanError::Naming(format!(
                "{}: names no [[input]]; add one with `mcp-codegen import FILE`",
                manifest.path.display()
            )));
        }
        let path = manifest.resolve(&manifest.output.types).join("Cargo.toml");
        let lacks = features::missing(manifest, &path);
        if !lacks.is_empty() {
            return Err(PlanError::Features { path, lacks });
        }
        let docs = Docs::read(&manifest.resolve(&manifest.output.docs))?;
        let mut inputs = Vec::new();
        let mut paths = Vec::new();
        for input in &manifest.inputs {
            let path = manifest.resolve(&input.file);
            inputs.push(Input {
                name: input.name.clone(),
                module: input.module.clone(),
                feature: Some(input.feature.clone()),
                needs: input.needs.clone(),
                spec: input.spec.clone(),
                schema: read(&path)?,
            });
            paths.push(path);
        }
        let model = build(&inputs, &paths, manifest, &docs)?;
        let root = manifest.resolve(&manifest.output.types);
        let mut files = placed(&root, emit::emit(&model, &Options::default()));
        if let Some(path) = &manifest.output.macro_spec {
            files.push((
                manifest.resolve(path),
                headed(path, emit::macro_spec(&model)),
            ));
        }
        Ok(Self {
            files,
            swept: vec![root.join("src")],
            guarded: false,
            model,
            docs,
        })
    }

    /// A crate from schema files alone.
    ///
    /// # Errors
    /// Fails when a schema, the manifest or the documentation cannot be used.
    pub fn ad_hoc(request: &AdHoc) -> Result<Self, PlanError> {
        let manifest = match &request.manifest {
            Some(path) => Manifest::read(path)?,
            None => Manifest::default(),
        };
        let docs = match &request.docs {
            Some(dir) => Docs::read(dir)?,
            None => Docs::default(),
        };
        let mut inputs: Vec<Input> = Vec::new();
        for path in &request.schemas {
            let name = name_of(path).unwrap_or_else(|| "schema".to_owned());
            let (module, _) = module_and_feature(&name);
            if let Some(at) = inputs.iter().position(|input| input.module == module) {
                return Err(PlanError::Naming(format!(
                    "{} and {} would both be the module `{module}`; give one of the files another \
                     name",
                    request.schemas[at].display(),
                    path.display()
                )));
            }
            inputs.push(Input {
                name,
                module,
                feature: None,
                needs: Vec::new(),
                spec: None,
                schema: read(path)?,
            });
        }
        let model = build(&inputs, &request.schemas, &manifest, &docs)?;
        let package = package_name(request)?;
        let options = Options {
            package: Some(package),
            registry: request.registry,
        };
        let mut files = placed(&request.out, emit::emit(&model, &options));
        if inside_foreign_workspace(&request.out)
            && let Some((_, text)) = files
                .iter_mut()
                .find(|(path, _)| path.ends_with("Cargo.toml"))
        {
            text.push_str("\n# A workspace of its own: the one around it does not name this crate.\n[workspace]\n");
        }
        Ok(Self {
            files,
            swept: vec![request.out.join("src")],
            guarded: true,
            model,
            docs,
        })
    }

    /// Generated files on disk that are not part of the plan.
    #[must_use]
    pub fn stale(&self) -> Vec<PathBuf> {
        let mut stale: Vec<PathBuf> = self
            .swept
            .iter()
            .flat_map(|dir| generated_below(dir))
            .collect();
        stale.retain(|path| self.files.iter().all(|(planned, _)| planned != path));
        stale.sort();
        stale
    }

    /// Brings the disk in line. Returns the files that changed and those that were removed.
    ///
    /// # Errors
    /// Fails when the file system refuses; files before the one in the error are written.
    pub fn write(&self) -> Result<(Vec<PathBuf>, Vec<PathBuf>), PlanError> {
        if self.guarded
            && let Some((path, _)) = self.files.iter().find(|(path, _)| is_foreign(path))
        {
            return Err(PlanError::Foreign(path.clone()));
        }
        let mut changed = Vec::new();
        for (path, text) in &self.files {
            if replace(path, text)? == Written::Changed {
                changed.push(path.clone());
            }
        }
        let stale = self.stale();
        for path in &stale {
            remove(path)?;
        }
        Ok((changed, stale))
    }
}

fn read(path: &Path) -> Result<serde_json::Value, PlanError> {
    let source = source::read(path).map_err(DefinitionsError::from)?;
    Definitions::new(path, &source.value)?;
    Ok(source.value)
}

fn build(
    inputs: &[Input],
    paths: &[PathBuf],
    manifest: &Manifest,
    docs: &Docs,
) -> Result<Model, PlanError> {
    Model::build(inputs, manifest, docs).map_err(|error| {
        // The model knows the input's name; the user knows the file.
        let at = inputs.iter().position(|input| input.name == error.input);
        let file = at.map_or_else(|| PathBuf::from(&error.input), |index| paths[index].clone());
        PlanError::Model {
            file,
            error: Box::new(error),
        }
    })
}

fn placed(root: &Path, files: Vec<(String, String)>) -> Vec<(PathBuf, String)> {
    files
        .into_iter()
        .map(|(relative, text)| {
            let path = root.join(&relative);
            let text = headed(&path, text);
            (path, text)
        })
        .collect()
}

/// The text with the header in front, unless it is there.
fn headed(path: &Path, text: String) -> String {
    if text
        .lines()
        .next()
        .is_some_and(|line| line.contains(HEADER))
    {
        return text;
    }
    let comment = if path.extension().is_some_and(|it| it == "toml") {
        "#"
    } else {
        "//"
    };
    format!(
        "{comment} {HEADER} generate. Do not edit; change the schema or its documentation.\n\n{text}"
    )
}

/// Whether cargo would take a crate in `dir` for part of a workspace that does not name it, and refuse
/// to build it.
fn inside_foreign_workspace(dir: &Path) -> bool {
    let here = std::env::current_dir().unwrap_or_default();
    // By its text, since the directory need not exist yet.
    let dir = tidy(&here.join(dir));
    dir.ancestors().skip(1).any(|root| {
        let Ok(text) = std::fs::read_to_string(root.join("Cargo.toml")) else {
            return false;
        };
        let Ok(toml) = text.parse::<toml::Table>() else {
            return false;
        };
        let Some(workspace) = toml.get("workspace") else {
            return false;
        };
        let relative = dir.strip_prefix(root).unwrap_or(&dir).display().to_string();
        let names = |key: &str| {
            let list = workspace.get(key).and_then(toml::Value::as_array);
            let mut names = list.into_iter().flatten().filter_map(toml::Value::as_str);
            names.any(|pattern| matches(pattern.trim_end_matches('/'), &relative))
        };
        !names("members") && !names("exclude")
    })
}

fn package_name(request: &AdHoc) -> Result<String, PlanError> {
    let valid = |name: &str| {
        is_name(name) && !name.contains('.') && name.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    match &request.package {
        Some(name) if valid(name) => Ok(name.clone()),
        Some(name) => Err(PlanError::Naming(format!(
            "`{name}` cannot be the name of a crate; use a letter, then letters, digits, `-` and `_`"
        ))),
        None => {
            let name = request
                .out
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            Ok(if valid(name) {
                name.to_owned()
            } else {
                "mcp-types".to_owned()
            })
        }
    }
}
